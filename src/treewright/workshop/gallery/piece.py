"""What a piece of the gallery is."""

import base64
import io
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import MissingExtra


@dataclass(frozen=True)
class Picture:
    """An image that travels inside the page."""

    data: bytes
    alt: str
    kind: str = "png"

    @property
    def uri(self) -> str:
        kind = {"svg": "svg+xml"}.get(self.kind, self.kind)
        return f"data:image/{kind};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True)
class Piece:
    """One thing on the page: what it is, the command that makes it, pictures and text."""

    title: str
    command: str
    caption: str
    pictures: list[Picture] = field(default_factory=list)
    text: str = ""
    page: str = ""  # of the studio, with the settings that make it: levels?length=210&seed=1


def figure(width: float, height: float) -> Any:
    """An empty Matplotlib figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("the gallery", "experiments") from None
    return Figure(figsize=(width, height), layout="constrained")


def png(drawn: Any, alt: str) -> Picture:
    """A Matplotlib figure as a picture."""
    out = io.BytesIO()
    drawn.savefig(out, format="png", dpi=130)
    return Picture(out.getvalue(), alt)
