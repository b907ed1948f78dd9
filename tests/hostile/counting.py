"""A small domain, as a text that tests put slips into."""

SOUND = """
import treewright as tw
from numpy import int8, int32


class Count(tw.Domain):
    max_actions = 3
    state = tw.record(cell=(int8, 5), n=int32)

    def start(s):
        s.n = 0

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 3

    def play(s, action):
        s.n += 1

    def ended(s):
        return s.n >= 4

    def rewards(s, out):
        out[0] = s.n / 4
"""
