"""A domain for tests: many actions, of which few are tried."""

from numpy import int8, int64

import treewright as tw


class Bag(tw.Domain):
    """Two players take five of 24 numbered stones in turn: many actions, few of them tried."""

    players = 2
    max_actions = 24
    max_length = 8
    state = tw.record(taken=int64, score=int64, moves=int8, player=int8)

    def start(s):
        s.score = 1

    def legal(s, out):
        n = 0
        for stone in range(24):
            if not s.taken >> stone & 1:
                out[n] = stone
                n += 1
        return n

    def play(s, action):
        s.taken |= 1 << action
        s.score = (s.score * 31 + action * 7 + s.moves) % 1009
        s.moves += 1
        s.player = 1 - s.player

    def ended(s):
        return s.moves == 5

    def rewards(s, out):
        out[0] = (s.score % 3) / 2
        out[1] = 1.0 - out[0]
