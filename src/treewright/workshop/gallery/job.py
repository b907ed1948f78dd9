"""A piece of the gallery as a job of the studio."""

from pydantic import BaseModel, Field, field_validator

from treewright.errors import nearest
from treewright.library.applications import declared, load
from treewright.workshop.jobs.work import Export, Report, Result, Work


class Settings(BaseModel):
    """Which piece."""

    piece: str = Field(max_length=60, description="its name, as in treewright gallery --only")
    seed: int = Field(1, ge=0, le=2**31)

    @field_validator("piece")
    @classmethod
    def known(cls, name: str) -> str:
        pieces = declared("gallery")
        if name not in pieces:
            raise ValueError(f"the gallery has no piece {name!r}{nearest(name, pieces)}")
        return name


def run(settings: Settings, report: Report) -> Result:
    report(None, "making it; the first time, compiling it")
    piece = load(declared("gallery")[settings.piece])(settings.seed)
    names = {f"{i}.{p.kind}": p for i, p in enumerate(piece.pictures)}
    data = {
        "piece": settings.piece,
        "title": piece.title,
        "command": piece.command,
        "caption": piece.caption,
        "text": piece.text,
        "page": piece.page,
        "pictures": [{"name": name, "alt": p.alt} for name, p in names.items()],
    }
    return Result(data, {name: p.data for name, p in names.items()})


def _text(data: dict[str, str]) -> bytes:
    return f"{data['title']}\n\n{data['caption']}\n\n$ {data['command']}\n\n{data['text']}".encode()


WORK = Work("A piece of the gallery", Settings, run, {"text": Export(".txt", "text/plain", _text)})
