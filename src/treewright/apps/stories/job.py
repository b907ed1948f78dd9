"""Stories as jobs of the studio."""

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from treewright.workshop.jobs.work import Export, Report, Result, Work

MOST_TEXT = 200_000  # characters of a set-up
MEMORY = "512MiB"
Words = Annotated[str, Field(max_length=300)]
MEDIA = {"markdown": "text/markdown", "json": "application/json"}


class Generate(BaseModel):
    """What ``treewright story generate`` takes; a set-up is named, or given as a file's text."""

    setup: str = Field("sherlock", max_length=60, description="a set-up that comes with us")
    text: str = Field("", max_length=MOST_TEXT, description="a set-up as TOML, instead of a name")
    nodes: int = Field(50_000, ge=100, le=2_000_000)
    seed: int = Field(1, ge=0, le=2**31)
    variants: int = Field(1, ge=1, le=8, description="how many stories; no two are alike")
    branches: int = Field(0, ge=0, le=5, description="choice points, each with another way")
    tuning: dict[Words, Annotated[float, Field(ge=0, le=100)]] = Field(
        {}, max_length=200, description="what an action's believability is multiplied by"
    )
    prefix: list[Words] = Field([], max_length=60, description="actions to begin with")
    require: list[Words] = Field([], max_length=20, description="actions that shall happen")
    forbid: list[Words] = Field([], max_length=20)

    @model_validator(mode="after")
    def right(self) -> Self:
        if self.variants > 1 and self.branches:
            raise ValueError("choose variants or branches, not both")
        return self  # the set-up itself is read by the job: a large file takes a while


def source_of(setup: str, text: str) -> Any:
    """The set-up's file, checked to name only libraries that come with us."""
    from treewright.apps.stories.library import built_in_names, find_source
    from treewright.apps.stories.source import Source, StoryError
    from treewright.errors import nearest

    if len(text) > MOST_TEXT:
        raise StoryError(f"a set-up has {MOST_TEXT:,} characters at most, not {len(text):,}")
    if text:
        source = Source(text, "the set-up")
    elif setup in built_in_names("setups"):
        source = find_source(setup, "setups")
    else:
        known = built_in_names("setups")
        raise StoryError(f"there is no set-up {setup!r}{nearest(setup, known)}")
    named = source.data.get("library", "crime")
    known = built_in_names("libraries")
    for name in named if isinstance(named, list) else [named]:
        if name not in known:
            raise StoryError(f"the library is one that comes with us{nearest(str(name), known)}")
    return source


def setup_of(settings: Generate) -> Any:
    """The set-up with the steering of the settings."""
    from treewright.apps.stories.setup import read_setup

    keys = ("tuning", "prefix", "require", "forbid")
    changes = {key: value for key in keys if (value := getattr(settings, key))}
    return read_setup(source_of(settings.setup, settings.text), None, changes)


def generate(settings: Generate, report: Report) -> Result:
    """Stories, by the functions that ``treewright story generate`` calls."""
    from treewright.apps.stories.causes import causal_svg
    from treewright.apps.stories.exports import FORMATS, as_data, export, passages
    from treewright.apps.stories.reach import impossible
    from treewright.apps.stories.source import StoryError
    from treewright.apps.stories.variants import branching, different
    from treewright.workshop.searching.inspector import Kept, growing

    setup = setup_of(settings)
    found = impossible(setup)
    if found:
        raise StoryError(found)
    total = settings.nodes * max(settings.variants, settings.branches + 1)
    report(None, "compiling; a library's first story takes about ten seconds")

    kept = Kept()

    def seen(now: Any) -> None:
        if now.search is not None:
            kept.look(now.search)
        words = f"{now.nodes:,} nodes, best {now.score:.3f}"
        report(min(now.nodes / total, 1.0), words, lambda: look(now.search))

    def look(search: Any) -> dict[str, Any] | None:
        if search is None:
            return None
        return {"search": growing(search, lambda p, a: labelled(p.domain, a))}

    how: dict[str, Any] = {"nodes": settings.nodes, "seed": settings.seed, "memory": MEMORY}
    if settings.branches:
        stories = branching(setup, settings.branches, progress=seen, **how)
    else:
        stories = different(setup, settings.variants, progress=seen, **how)
    return Result(
        {
            "stories": [as_data(story) for story in stories],
            "graphs": [causal_svg(story) for story in stories],
            "passages": _tree(passages(stories)),
            "exports": {form: export(stories, form) for form in FORMATS},
            "actions": [action.name for action in setup.library.actions],
        },
        kept.files,
    )


def searched(settings: Generate) -> Any:
    """The domain of the search."""
    from treewright.apps.stories.domain import story_domain

    return story_domain(setup_of(settings))


def labelled(domain: Any, action: int) -> str:
    """An action of a story in words."""
    from treewright.apps.stories.world import ground_text

    grounding = domain.grounding
    if action == grounding.stop:
        return "stop"
    return ground_text(grounding.setup, grounding.event(action))


def _tree(passage: Any) -> dict[str, Any]:
    return {
        "sentences": passage.sentences,
        "choices": [{"words": words, "to": _tree(to)} for words, to in passage.choices],
    }


def described(setup: str, text: str) -> dict[str, Any]:
    """A set-up for the page's forms: its file, its data, and what the library offers."""
    from treewright.apps.stories.library import load_library
    from treewright.apps.stories.lint import described as offered
    from treewright.apps.stories.setup import read_setup

    source = source_of(setup, text)
    read_setup(source)  # whatever is wrong is said here
    library = load_library(source.data.get("library", "crime"))
    names = [action.name for action in library.actions]
    return {"text": source.text, "data": source.data, "actions": names} | {
        "offers": offered(library)
    }


def setups() -> list[str]:
    """The set-ups that come with us."""
    from treewright.apps.stories.library import built_in_names

    return built_in_names("setups")


def _text(form: str) -> Callable[[dict[str, Any]], bytes]:
    return lambda data: str(data["exports"][form]).encode()


ENDINGS = {"text": ".txt", "markdown": ".md", "json": ".json", "ink": ".ink", "twee": ".twee",
           "yarn": ".yarn"}  # fmt: skip
EXPORTS = {
    form: Export(ending, MEDIA.get(form, "text/plain"), _text(form))
    for form, ending in ENDINGS.items()
}
EXPORTS["graph"] = Export(".svg", "image/svg+xml", lambda data: data["graphs"][0].encode())
STORY = Work("A story", Generate, generate, EXPORTS, domain=searched, label=labelled)
