"""What a map must be: its size, its checkpoints, what is fixed and who is near to whom.

A specification is a TOML file, a drawing in text or a PNG sketch; ``mcguinness`` is the paper's
(McGuinness 2016, section II-A and figure 4).  Coordinates are ``(x, y)``, as in the paper,
with ``(0, 0)`` at the top left.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import MissingExtra, OptionError, nearest
from treewright.library.reading import check_picture, is_there, text_of, toml_of

FREE, WALL, FLOOR = 0, 1, 2  # what is fixed at a cell
IGNORE, NEAR, FAR = 0, 1, 2  # what is required of a pair
SMALLEST, LARGEST = 2, 255
WISHES = ("symmetry", "style")
KEYS = (
    "width",
    "height",
    "checkpoints",
    "requirements",
    "walls",
    "floor",
    "sketch",
    "image",
    *WISHES,
)
SYMMETRIES = ("left-right", "top-bottom", "turned")  # the last: the same when turned upside down
STYLES = ("rooms", "corridors")
Cell = tuple[int, int]


class SpecError(OptionError):
    """A specification that can't be used: what is wrong, and where."""


@dataclass(frozen=True)
class MapSpec:
    """A checked specification."""

    width: int
    height: int
    checkpoints: tuple[Cell, ...]
    requirements: np.ndarray
    fixed: np.ndarray = field(repr=False)  # FREE, WALL or FLOOR, by [y, x]
    name: str = "map"
    symmetry: str = ""  # one of SYMMETRIES
    style: str = ""  # one of STYLES

    def __post_init__(self) -> None:
        _check(self)

    @property
    def cells(self) -> int:
        return self.width * self.height

    @property
    def pairs(self) -> list[tuple[int, int, int]]:
        """(i, j, requirement) of every unordered pair that is not ignored."""
        n = len(self.checkpoints)
        return [
            (i, j, int(self.requirements[i, j]))
            for i in range(n)
            for j in range(i + 1, n)
            if self.requirements[i, j] != IGNORE
        ]

    @property
    def groups(self) -> list[int]:
        """A number for each checkpoint: those that should be near each other share one."""
        n = len(self.checkpoints)
        found = list(range(n))
        for i, j, required in self.pairs:
            if required == NEAR and found[i] != found[j]:
                old, new = found[j], found[i]
                found = [new if g == old else g for g in found]
        order = sorted(set(found))
        return [order.index(g) for g in found]

    def changeable(self) -> np.ndarray:
        """Where a wall may stand or not: [y, x] of bool; checkpoints stay floor."""
        free: np.ndarray = self.fixed == FREE
        for x, y in self.checkpoints:
            free[y, x] = False
        found: np.ndarray = free & self.mirrored(free)
        return found

    @property
    def mirrors(self) -> tuple[bool, bool]:
        """Whether left and right are exchanged in the mirror image, and top and bottom."""
        return self.symmetry in ("left-right", "turned"), self.symmetry in ("top-bottom", "turned")

    def mirrored(self, grid: np.ndarray) -> np.ndarray:
        """A grid as its mirror image, by the symmetry that is wished for."""
        across, down = (-1 if mirror else 1 for mirror in self.mirrors)
        found: np.ndarray = grid[::down, ::across]
        return found

    def image(self, cell: Cell) -> Cell:
        """The mirror image of a cell; the cell itself, if no symmetry is wished for."""
        return mirror_image(cell, (self.width, self.height), self.mirrors)

    def start(self) -> np.ndarray:
        """The map with the fixed walls only: [y, x], 1 is a wall."""
        walls: np.ndarray = (self.fixed == WALL).astype(np.uint8)
        return walls


def mirror_image(cell: Cell, size: Cell, mirrors: tuple[bool, bool]) -> Cell:
    """A cell's image in a grid of this width and height."""
    x, y = (n - 1 - v if mirror else v for v, n, mirror in zip(cell, size, mirrors, strict=True))
    return x, y


def _check(spec: MapSpec) -> None:
    for name in ("width", "height"):
        value = getattr(spec, name)
        if not SMALLEST <= value <= LARGEST:
            raise SpecError(f"{spec.name}: {name}={value} must be between {SMALLEST} and {LARGEST}")
    if len(spec.checkpoints) < 2:
        raise SpecError(f"{spec.name}: a map needs at least two checkpoints")
    if len(spec.checkpoints) > 60:
        raise SpecError(f"{spec.name}: {len(spec.checkpoints)} checkpoints are more than 60")
    _check_wishes(spec)
    _check_checkpoints(spec)
    _check_requirements(spec)
    _check_connected(spec)


def _check_wishes(spec: MapSpec) -> None:
    for key, known in (("symmetry", SYMMETRIES), ("style", STYLES)):
        wish = getattr(spec, key)
        if wish and wish not in known:
            raise SpecError(
                f"{spec.name}: {key}={wish!r} is none of {', '.join(known)}{nearest(wish, known)}"
            )
    if (spec.mirrored(spec.fixed) != spec.fixed).any():
        y, x = np.argwhere(spec.mirrored(spec.fixed) != spec.fixed)[0].tolist()
        raise SpecError(
            f"{spec.name}: the fixed cells are not symmetric ({spec.symmetry}): ({x}, {y}) differs "
            "from its mirror image"
        )


def _check_checkpoints(spec: MapSpec) -> None:
    seen: dict[Cell, int] = {}
    for number, (x, y) in enumerate(spec.checkpoints):
        where = f"{spec.name}: checkpoint {number} at ({x}, {y})"
        if not (0 <= x < spec.width and 0 <= y < spec.height):
            raise SpecError(
                f"{where} is outside the grid: x is 0 to {spec.width - 1} and y 0 to "
                f"{spec.height - 1}"
            )
        if spec.fixed[y, x] == WALL:
            raise SpecError(f"{where} is on a fixed wall")
        if (x, y) in seen:
            raise SpecError(f"{where} is the same cell as checkpoint {seen[x, y]}")
        seen[x, y] = number


def _check_requirements(spec: MapSpec) -> None:
    n = len(spec.checkpoints)
    matrix = spec.requirements
    if matrix.shape != (n, n):
        shape = " x ".join(map(str, matrix.shape))
        raise SpecError(f"{spec.name}: requirements is {shape}, but {n} checkpoints need {n} x {n}")
    for i in range(n):
        for j in range(n):
            value = matrix[i, j]
            where = f"{spec.name}: requirements row {i}, column {j}"
            if value not in (IGNORE, NEAR, FAR):
                raise SpecError(f"{where} is {value}; it must be 0 (ignore), 1 (near) or 2 (far)")
            if value != matrix[j, i]:
                raise SpecError(
                    f"{where} is {value} but row {j}, column {i} is {matrix[j, i]}: the matrix "
                    f"must be symmetric"
                )
            if i == j and value != IGNORE:
                raise SpecError(f"{where} is {value}; a checkpoint's distance to itself must be 0")
    if not matrix.any():
        raise SpecError(f"{spec.name}: requirements are all 0, so there is nothing to improve")


def _check_connected(spec: MapSpec) -> None:
    """Fixed walls alone must leave a way between all checkpoints."""
    reached = _reachable(spec.start(), spec.checkpoints[0])
    for number, (x, y) in enumerate(spec.checkpoints):
        if not reached[y, x]:
            raise SpecError(
                f"{spec.name}: fixed walls separate checkpoint {number} at ({x}, {y}) from "
                f"checkpoint 0 at {spec.checkpoints[0]}"
            )


def _reachable(walls: np.ndarray, start: Cell) -> np.ndarray:
    height, width = walls.shape
    seen = np.zeros_like(walls, bool)
    seen[start[1], start[0]] = True
    queue = deque([start])
    while queue:
        x, y = queue.popleft()
        for nx, ny in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= nx < width and 0 <= ny < height
            if inside and not walls[ny, nx] and not seen[ny, nx]:
                seen[ny, nx] = True
                queue.append((nx, ny))
    return seen


# ------------------------------------------------------------------------------ reading


def mcguinness() -> MapSpec:
    """The paper's set-up: 51 x 51, six checkpoints, the matrix of figure 4."""
    return MapSpec(
        51,
        51,
        ((0, 25), (25, 0), (50, 25), (25, 50), (25, 13), (25, 37)),
        np.array(
            [
                [0, 1, 2, 2, 1, 0],
                [1, 0, 2, 2, 1, 0],
                [2, 2, 0, 1, 0, 1],
                [2, 2, 1, 0, 0, 1],
                [1, 1, 0, 0, 0, 0],
                [0, 0, 1, 1, 0, 0],
            ],
            np.int8,
        ),
        np.zeros((51, 51), np.int8),
        "mcguinness",
    )


SHIPPED = {"mcguinness": mcguinness}


def load_spec(spec: str | Path | MapSpec) -> MapSpec:
    """A shipped specification by name, or one from a .toml, .txt or .png file."""
    if isinstance(spec, MapSpec):
        return spec
    if str(spec) in SHIPPED:
        return SHIPPED[str(spec)]()
    path = Path(spec)
    if not path.suffix and not is_there(path):
        raise SpecError(
            f"there is no map specification {str(spec)!r} (a file ends in .toml, .txt or .png)"
            f"{nearest(str(spec), SHIPPED)}"
        )
    readers = {".toml": _read_toml, ".txt": _read_text, ".png": _read_png}
    if path.suffix.lower() not in readers:
        raise SpecError(f"{path}: a specification is a .toml, .txt or .png file")
    if not is_there(path):
        raise SpecError(f"there is no file {path}")
    return readers[path.suffix.lower()](path)


def wished(spec: str, symmetry: str = "", style: str = "") -> MapSpec:
    """A specification with these wishes instead of its own, where they are given."""
    read = load_spec(spec)
    return replace(read, symmetry=symmetry or read.symmetry, style=style or read.style)


def _read_toml(path: Path) -> MapSpec:
    data = toml_of(text_of(path, SpecError), str(path), SpecError)
    for key in data:
        if key not in KEYS:
            raise SpecError(f"{path}: unknown key {key!r}{nearest(key, KEYS)}")
    name = path.name
    if "sketch" in data and "image" in data:
        raise SpecError(f"{name}: give a sketch or an image, not both")
    if "sketch" in data or "image" in data:
        drawn = (
            _drawing(_rows(_typed(name, data, "sketch", str)), name)
            if "sketch" in data
            else _image(path.parent / _typed(name, data, "image", str), name)
        )
    else:
        for key in ("width", "height", "checkpoints", "requirements"):
            if key not in data:
                raise SpecError(f"{name}: the key {key!r} is missing")
        width = _typed(name, data, "width", int)
        height = _typed(name, data, "height", int)
        _check_size(name, width, height)
        drawn = _Drawn(np.zeros((height, width), np.int8), [], [])
    height, width = drawn.fixed.shape
    for key, value in (("width", width), ("height", height)):
        if key in data and data[key] != value:
            raise SpecError(f"{name}: {key}={data[key]}, but the sketch has {value}")
    for key, kind in (("walls", WALL), ("floor", FLOOR)):
        for x, y in _cells(name, data, key):
            if not (0 <= x < width and 0 <= y < height):
                raise SpecError(
                    f"{name}: {key} has ({x}, {y}), outside the {width} x {height} grid"
                )
            if drawn.fixed[y, x] not in (FREE, kind):
                raise SpecError(f"{name}: ({x}, {y}) is both a fixed wall and fixed floor")
            drawn.fixed[y, x] = kind
    if "checkpoints" in data:
        checkpoints = list(_cells(name, data, "checkpoints"))
        labels: list[str] = [str(i) for i in range(len(checkpoints))]
    else:
        checkpoints, labels = drawn.checkpoints, drawn.labels
    matrix = _matrix(name, data["requirements"]) if "requirements" in data else _same_near(labels)
    wishes = {key: _typed(name, data, key, str) for key in WISHES if key in data}
    return MapSpec(width, height, tuple(checkpoints), matrix, drawn.fixed, path.stem, **wishes)


def _typed(name: str, data: dict[str, Any], key: str, kind: type) -> Any:
    value = data[key]
    if isinstance(value, bool) or not isinstance(value, kind):
        what = {int: "a whole number", str: "text"}[kind]
        raise SpecError(f"{name}: {key} must be {what}, not {value!r}")
    return value


def _check_size(name: str, width: int, height: int) -> None:
    for key, value in (("width", width), ("height", height)):
        if not SMALLEST <= value <= LARGEST:
            raise SpecError(f"{name}: {key}={value} must be between {SMALLEST} and {LARGEST}")


def _cells(name: str, data: dict[str, Any], key: str) -> Iterable[Cell]:
    rows = data.get(key, [])
    for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
        good = isinstance(row, list) and len(row) == 2
        if not good or not all(isinstance(v, int) and not isinstance(v, bool) for v in row):
            raise SpecError(f"{name}: {key}[{number}] must be [x, y], not {row!r}")
        yield row[0], row[1]


def _matrix(name: str, rows: Any) -> np.ndarray:
    ok = isinstance(rows, list) and all(
        isinstance(r, list) and all(type(v) is int for v in r) for r in rows
    )
    if not ok:
        raise SpecError(f"{name}: requirements must be a list of rows of 0, 1 and 2")
    if len({len(r) for r in rows}) > 1:
        lengths = ", ".join(str(len(r)) for r in rows)
        raise SpecError(f"{name}: the rows of requirements have {lengths} numbers: not n x n")
    return np.array(rows, np.int64)


def _same_near(labels: Sequence[str]) -> np.ndarray:
    """Without a matrix: the same letter or colour is near, another is far."""
    n = len(labels)
    found = np.full((n, n), FAR, np.int64)
    for i in range(n):
        for j in range(n):
            if labels[i] == labels[j]:
                found[i, j] = IGNORE if i == j else NEAR
    return found


@dataclass
class _Drawn:
    fixed: np.ndarray
    checkpoints: list[Cell]
    labels: list[str]


def _rows(text: str) -> list[str]:
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _drawing(rows: list[str], name: str) -> _Drawn:
    """``#`` fixed wall, ``_`` fixed floor, ``.`` free, a letter or digit a checkpoint."""
    if not rows:
        raise SpecError(f"{name}: the sketch is empty")
    width = len(rows[0])
    _check_size(name, width, len(rows))
    drawn = _Drawn(np.zeros((len(rows), width), np.int8), [], [])
    for y, row in enumerate(rows):
        if len(row) != width:
            raise SpecError(
                f"{name}, row {y + 1}: {len(row)} characters, but the first row has {width}"
            )
        for x, mark in enumerate(row):
            if mark == "#":
                drawn.fixed[y, x] = WALL
            elif mark == "_":
                drawn.fixed[y, x] = FLOOR
            elif mark.isalnum():
                drawn.checkpoints.append((x, y))
                drawn.labels.append(mark)
            elif mark != ".":
                raise SpecError(
                    f"{name}, row {y + 1}, column {x + 1}: {mark!r} is no # (wall), _ (floor), "
                    f". (free), letter or digit (checkpoint)"
                )
    order = sorted(range(len(drawn.labels)), key=lambda i: drawn.labels[i])
    drawn.checkpoints = [drawn.checkpoints[i] for i in order]
    drawn.labels = [drawn.labels[i] for i in order]
    return drawn


def _read_text(path: Path) -> MapSpec:
    """A drawing, and below an empty line the matrix, if there is one."""
    lines = _rows(text_of(path, SpecError))
    gap = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    drawn = _drawing([line.rstrip() for line in lines[:gap]], path.name)
    below = [line.split() for line in lines[gap:] if line.strip()]
    for number, row in enumerate(below):
        for word in row:
            if not (word.isascii() and word.isdecimal() and len(word) < 10):
                raise SpecError(f"{path.name}: row {number} of the matrix has {word[:20]!r}")
    matrix = (
        _matrix(path.name, [[int(w) for w in row] for row in below])
        if below
        else _same_near(drawn.labels)
    )
    height, width = drawn.fixed.shape
    return MapSpec(width, height, tuple(drawn.checkpoints), matrix, drawn.fixed, path.stem)


def _read_png(path: Path) -> MapSpec:
    drawn = _image(path, path.name)
    height, width = drawn.fixed.shape
    matrix = _same_near(drawn.labels)
    return MapSpec(width, height, tuple(drawn.checkpoints), matrix, drawn.fixed, path.stem)


def _image(path: Path, name: str) -> _Drawn:
    """Black is fixed wall, white free, grey fixed floor, a colour a checkpoint."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("reading a PNG sketch", "maps") from None
    check_picture(path, SpecError, LARGEST * LARGEST)
    try:
        with Image.open(path) as opened:
            pixels = np.asarray(opened.convert("RGB")).astype(int)
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
        raise SpecError(f"{path} can't be read as a picture: {error}") from None
    height, width = pixels.shape[:2]
    _check_size(name, width, height)
    drawn = _Drawn(np.zeros((height, width), np.int8), [], [])
    for y in range(height):
        for x in range(width):
            red, green, blue = (int(v) for v in pixels[y, x])
            if max(red, green, blue) - min(red, green, blue) > 40:
                drawn.checkpoints.append((x, y))
                drawn.labels.append(f"{red // 32},{green // 32},{blue // 32}")
            elif max(red, green, blue) < 64:
                drawn.fixed[y, x] = WALL
            elif max(red, green, blue) < 224:
                drawn.fixed[y, x] = FLOOR
    return drawn
