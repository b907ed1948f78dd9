"""How often somebody may ask: a bucket of tokens for each, filled again at a steady rate."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_KEPT = 10_000  # buckets; the one that was not used for longest goes first


class Limit:
    """``allows(who)`` up to ``burst`` times at once, and ``rate`` times a second for ever."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic):
        self.rate, self.burst, self.clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._alone = threading.Lock()

    def allows(self, who: str) -> bool:
        now = self.clock()
        with self._alone:
            left, since = self._left.pop(who, (float(self.burst), now))
            left = min(float(self.burst), left + (now - since) * self.rate)
            self._left[who] = (left - 1.0 if left >= 1.0 else left, now)
            if len(self._left) > MOST_KEPT:
                self._left.popitem(last=False)
        return left >= 1.0
