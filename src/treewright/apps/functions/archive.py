"""The samples of a search: the latest ones all, of the older ones fewer the older they are."""

import numpy as np

MOST = 4096
LATEST = 1024  # of them are never thinned out


class Archive:
    """Points with their values, as arrays that grow."""

    def __init__(self, points: np.ndarray, values: np.ndarray) -> None:
        self._count = 0
        self._points, self._values = np.empty((64, points.shape[1])), np.empty(64)
        self.add(points, values)

    def __len__(self) -> int:
        return self._count

    @property
    def points(self) -> np.ndarray:
        return self._points[: self._count]

    @property
    def values(self) -> np.ndarray:
        return self._values[: self._count]

    def add(self, points: np.ndarray, values: np.ndarray) -> None:
        end = self._count + len(values)
        if end > len(self._values):
            room = max(2 * len(self._values), end)
            self._points = np.resize(self._points, (room, self._points.shape[1]))
            self._values = np.resize(self._values, room)
        self._points[self._count : end], self._values[self._count : end] = points, values
        self._count = end
        if end > MOST:
            kept = np.r_[0 : end - LATEST : 2, end - LATEST : end]
            self._count = len(kept)
            self._points[: len(kept)] = self._points[kept]
            self._values[: len(kept)] = self._values[kept]

    def clear(self) -> None:
        self._count = 0
