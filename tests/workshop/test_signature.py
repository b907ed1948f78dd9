"""The behaviour of every domain and variant, pinned.

If this fails and you meant to change what the search does, say so in the commit and put the
new signature here (``treewright bench --signature``).
"""

from treewright.workshop.signature import signature

PINNED = "ab38d311442bfa89"


def test_signature():
    value, parts = signature()
    assert len(parts) == 43
    assert value == PINNED, parts
