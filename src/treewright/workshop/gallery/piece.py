"""What a piece of the gallery is."""

import base64
import io
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

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
    page: str = ""  # of the studio, with the settings that make it: see opened()


def opened(page: str, **settings: Any) -> str:
    """A page of the studio with settings: what ``Piece.page`` is."""
    words = {k: v if isinstance(v, str) else json.dumps(v, separators=(",", ":"))
             for k, v in settings.items()}  # fmt: skip
    return f"{page}?{urlencode(words)}"


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
