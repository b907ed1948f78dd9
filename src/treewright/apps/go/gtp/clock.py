"""How long to think about a move."""

from dataclasses import dataclass, field

LATENCY = 0.05  # what is lost between two programs, in seconds
RESERVE = 0.04  # of the main time, kept for when a game will not end


@dataclass
class Clock:
    """The time of one player: GTP's ``time_settings`` (Canadian) and ``time_left``."""

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    left: float = field(init=False)
    stones_left: int = field(init=False, default=0)  # 0: main time

    def __post_init__(self) -> None:
        self.left = self.main

    @property
    def limited(self) -> bool:
        """Period time without stones means that there is no limit at all (GTP 4.2)."""
        return not (self.period > 0 and self.stones == 0) and (self.main > 0 or self.period > 0)

    def set_left(self, seconds: float, stones: int) -> None:
        self.left, self.stones_left = max(0.0, seconds), stones

    def spend(self, seconds: float) -> None:
        """What a move took, for controllers that don't send ``time_left``."""
        self.left -= seconds
        if self.stones_left > 1:
            self.stones_left -= 1
        elif self.period > 0 and (self.stones_left == 1 or self.left <= 0):
            self.left, self.stones_left = self.period, self.stones

    def budget(self, moves_played: int, size: int) -> float:
        """Seconds for the next move."""
        if self.stones_left > 0:
            return max(0.01, self.left / self.stones_left - LATENCY)
        expected = max(0.65 * size * size - moves_played, 0.2 * size * size) / 2
        usable = max(0.0, self.left - RESERVE * self.main - LATENCY)
        share = usable / expected
        # the middle of the game decides; the opening and the endgame get less
        progress = moves_played / (size * size)
        weight = 1.4 if 0.05 < progress < 0.45 else 0.8
        if self.period > 0 and self.stones > 0:
            share = max(share, min(usable, self.period / self.stones - LATENCY))
        return max(0.01, min(usable / 2, weight * share))
