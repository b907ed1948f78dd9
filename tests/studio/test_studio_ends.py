"""How the studio ends."""

import logging

import pytest

pytest.importorskip("nicegui")


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        ("asyncio.exceptions.CancelledError\n", False),
        ("KeyboardInterrupt\n", False),
        ("ValueError: the database is gone\n", True),
    ],
)
def test_a_second_ctrl_c_is_no_traceback(last, shown):
    """The server told its end by a second Ctrl-C in forty lines."""
    from treewright.workshop.web import _no_interrupt

    text = "Traceback (most recent call last):\n  File ...\n" + last
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, text, (), None)
    assert _no_interrupt(record) is shown
