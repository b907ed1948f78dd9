"""How much two levels have in common, compiled by itself (copies.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import uint64


def most_shared(matches, a, others, lengths, v):
    """The largest share of slices in order that a level has in common with any of others.

    ``v`` is scratch for as many words as the level ``a`` has.
    """
    most = 0.0
    for k in range(len(others)):
        n = lengths[k]
        most = max(most, shared(a, others[k, :n], matches, v) / min(len(a), n))
    return most


def shared(a, b, matches, v):
    """Length of the longest common subsequence, 64 slices at a time (Hyyrö 2004).

    ``matches[symbol]`` has a bit for each place of ``a`` where the symbol stands; a zero that is
    left in ``v`` is one more slice in common.
    """
    v[:] = uint64(0xFFFFFFFFFFFFFFFF)
    for i in range(len(b)):
        carry = uint64(0)
        for w in range(len(v)):
            u = v[w] & matches[b[i], w]
            total = v[w] + u
            out = uint64(1) if total < u else uint64(0)
            total += carry
            if carry and total == uint64(0):
                out = uint64(1)
            v[w] = total | (v[w] & ~u)
            carry = out
    zeros = 0
    for i in range(len(a)):
        if not (v[i // 64] >> uint64(i % 64)) & uint64(1):
            zeros += 1
    return zeros
