"""Speed, as every benchmark measures it: work per second of CPU time."""

import time
from collections.abc import Callable


def per_cpu_second(work: Callable[[], int], seconds: float) -> float:
    """How much is done per CPU second, over at least ``seconds``; ``work`` says how much it did."""
    done = 0
    started = time.process_time()
    while True:
        done += work()
        spent = time.process_time() - started
        if spent >= seconds:
            return done / spent
