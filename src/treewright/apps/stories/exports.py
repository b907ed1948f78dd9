"""Stories for other tools: Markdown, JSON, and Ink, Twee 3 and Yarn, with choices if they branch.

Several stories from one start form a trie: where they agree they share a node, where they part
the reader chooses.
"""

import json
import random
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.apps.stories.explaining import reasons_of
from treewright.apps.stories.story import Story, cell_text, value_text
from treewright.apps.stories.telling import opening, prose, single_sentences
from treewright.errors import OptionError, nearest

VERSION = 1


@dataclass
class Passage:
    """A stretch without choices: its sentences, then where one can go on."""

    name: str
    sentences: list[str] = field(default_factory=list)
    choices: list[tuple[str, "Passage"]] = field(default_factory=list)

    def all(self) -> list["Passage"]:
        return [self, *(p for _, child in self.choices for p in child.all())]


def passages(stories: Sequence[Story]) -> Passage:
    """The trie of several stories, after who is where; a story alone is one passage."""
    told = [list(zip(s.actions, single_sentences(s), strict=True)) for s in stories]
    counter = iter(range(1, 10**9))

    def grow(passage: Passage, rest: list[list[tuple[str, str]]]) -> Passage:
        while True:
            going_on = [r for r in rest if r]
            firsts = list(dict.fromkeys(r[0][0] for r in going_on))
            if not firsts:
                return passage
            if len(firsts) == 1 and len(going_on) == len(rest):
                passage.sentences.append(going_on[0][0][1])
                rest = [r[1:] for r in going_on]
                continue
            if len(going_on) < len(rest):
                end = Passage(f"part{next(counter)}", ["The end."])
                passage.choices.append(("Leave it at that.", end))
            for action in firsts:
                same = [r for r in going_on if r[0][0] == action]
                child = Passage(f"part{next(counter)}")
                passage.choices.append((same[0][0][1], grow(child, same)))
            return passage

    begin = opening(stories)
    return grow(Passage("start", [begin] if begin else []), told)


# --------------------------------------------------------------------------------------- formats


def to_text(stories: Sequence[Story]) -> str:
    return "\n\n* * *\n\n".join(prose(s) for s in stories) + "\n"


def to_markdown(stories: Sequence[Story]) -> str:
    parts = [f"# {_markdown(stories[0].setup.title)}"]
    for i, story in enumerate(stories):
        if len(stories) > 1:
            parts.append(f"## Story {i + 1}")
        parts.append(_markdown(prose(story)))
        rows = ["| step | action | believable | goals | score |", "|---|---|---|---|---|"]
        rows += [
            f"| {j + 1} | {_markdown(a)} | {s.believability:.2f} | {s.share:.2f} | {s.score:.3f} |"
            for j, (a, s) in enumerate(zip(story.actions, story.steps, strict=True))
        ]
        parts.append("\n".join(rows))
        parts.append(
            f"Score {story.score:.3f}: believability {story.believability:.3f}, "
            f"goals {story.share:.2f}."
        )
    return "\n\n".join(parts) + "\n"


def as_data(story: Story) -> dict[str, Any]:
    """Everything about a story, as plain data."""
    setup = story.setup
    told = single_sentences(story)
    return {
        "format": "treewright-story",
        "version": VERSION,
        "setup": setup.source.name,
        "title": setup.title,
        "library": setup.library.name,
        "seed": story.seed,
        "score": {
            "total": story.score,
            "believability": story.believability,
            "goals": story.share,
            **({} if setup.wish is None else {"tension": story.fit}),
        },
        "goals": [
            {"goal": g.text, "weight": g.weight, "met": m}
            for g, m in zip(setup.goals, story.goals, strict=True)
        ],
        "search": story.found,
        "text": prose(story),
        "steps": [
            {
                "action": step.event.action,
                "arguments": {
                    name: setup.entity(kind, n).id
                    for (name, kind), n in zip(
                        setup.library.action(step.event.action).params, step.event.args, strict=True
                    )
                },
                "ground": ground,
                "believability": step.believability,
                "rule": step.rule,
                "factors": list(step.factors),
                **(
                    {"reasons": reasons_of(setup, step.reasons), "motive": step.reasons.word}
                    if step.reasons is not None
                    else {}
                ),
                "goals": step.share,
                "score": step.score,
                "text": text,
                "changes": [
                    {
                        "what": cell_text(setup, cell),
                        "from": value_text(setup, cell, before),
                        "to": value_text(setup, cell, after),
                    }
                    for cell, before, after in step.changes
                ],
            }
            for step, ground, text in zip(story.steps, story.actions, told, strict=True)
        ],
    }


def to_json(stories: Sequence[Story]) -> str:
    data = [as_data(s) for s in stories]
    return json.dumps(data[0] if len(data) == 1 else data, indent=2, ensure_ascii=False) + "\n"


def to_ink(stories: Sequence[Story]) -> str:
    lines = [f"// {_line(stories[0].setup.title)}", "-> start"]
    for passage in passages(stories).all():
        lines += ["", f"=== {passage.name} ==="]
        lines += [_ink(s) for s in passage.sentences]
        lines += [f"* [{_ink(text)}] -> {child.name}" for text, child in passage.choices]
        if passage.choices and not passage.sentences:
            lines.insert(len(lines) - len(passage.choices), _ink("What happens next?"))
        if not passage.choices:
            lines.append("-> END")
    return "\n".join(lines) + "\n"


def to_twee(stories: Sequence[Story]) -> str:
    story = stories[0]
    ifid = str(uuid.UUID(int=random.Random(story.seed).getrandbits(128), version=4)).upper()
    data = {"ifid": ifid, "format": "Harlowe", "format-version": "3.3.9", "start": "start"}
    lines = [
        ":: StoryTitle",
        _twee(story.setup.title),
        "",
        ":: StoryData",
        json.dumps(data, indent=2),
    ]
    for i, passage in enumerate(passages(stories).all()):
        lines += [
            "",
            f':: {passage.name} {{"position":"{100 + 150 * (i % 6)},{100 + 150 * (i // 6)}"}}',
        ]
        lines += [_twee(s) for s in passage.sentences]
        lines += [f"[[{_twee_link(text)}->{child.name}]]" for text, child in passage.choices]
    return "\n".join(lines) + "\n"


def to_yarn(stories: Sequence[Story]) -> str:
    lines: list[str] = []
    for passage in passages(stories).all():
        lines += [f"title: {passage.name}", "---"]
        lines += [_yarn(s) for s in passage.sentences] or ["..."]
        for text, child in passage.choices:
            lines += [f"-> {_yarn(text)}", f"    <<jump {child.name}>>"]
        lines.append("===")
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[Sequence[Story]], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "json": to_json,
    "ink": to_ink,
    "twee": to_twee,
    "yarn": to_yarn,
}
ENDINGS = {".txt": "text", ".md": "markdown", ".json": "json", ".ink": "ink", ".twee": "twee",
           ".tw": "twee", ".yarn": "yarn"}  # fmt: skip


def export(stories: Sequence[Story], form: str) -> str:
    """One or more stories in a format; Ink, Twee and Yarn offer several as choices."""
    if form not in FORMATS:
        raise OptionError(f"there is no format {form!r}{nearest(form, FORMATS)}")
    return FORMATS[form](stories)


# -------------------------------------------------------------------------------------- escaping


def _line(text: str) -> str:
    return " ".join(text.split())


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)


def _ink(text: str) -> str:
    """Every sign with a meaning is escaped, also those that only matter at the start."""
    text = re.sub(r"([\\{}|#~<>\[\]/])", r"\\\1", _line(text)).replace("->", "-\\>")
    return "\\" + text if re.match(r"[-*+=~(]|TODO", text) else text


def _twee(text: str) -> str:
    """Harlowe's signs as character references; a line may not begin a new passage."""
    return re.sub(r"[<>\[\]$_*~`{}|\\#'/&^=\-+@]|^::", _reference, _line(text))


def _reference(found: re.Match[str]) -> str:
    if found[0] in "'-+=@/":  # alone they are harmless, doubled they are mark-up
        return found[0] if not _doubled(found) else f"&#{ord(found[0])};"
    return "".join(f"&#{ord(c)};" for c in found[0])


def _doubled(found: re.Match[str]) -> bool:
    text, at = found.string, found.start()
    return text[at + 1 : at + 2] == found[0] or (at > 0 and text[at - 1] == found[0]) or at == 0


def _twee_link(text: str) -> str:
    """Link texts can't hold the signs of a link."""
    return re.sub(r"->|<-|[\[\]|<>{}$_*~`\\]", " ", _line(text)).strip() or "Go on"


def _yarn(text: str) -> str:
    """A colon would name a speaker; brackets, hashes and angles are escaped."""
    text = re.sub(r"\s*:\s*", " – ", _line(text))
    text = re.sub(r"([\\{}#<>\[\]/])", r"\\\1", text)
    return "\\" + text if text.startswith(("->", "=", "-")) else text
