"""The page: one HTML file that needs nothing else."""

import re
from html import escape

import treewright
from treewright.workshop.gallery.piece import Piece

STYLE = """
:root { color-scheme: light dark; --ink: #1d2327; --soft: #5b6770; --paper: #f6f5f1;
  --card: #ffffff; --line: #e2e0d8; --code: #f1efe8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --soft: #a5adb3; --paper: #16191c;
  --card: #1f2427; --line: #33393d; --code: #2a3034; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
header p { color: var(--soft); max-width: 40rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
nav { display: flex; flex-wrap: wrap; gap: .4rem .6rem; margin: 1.25rem 0 2rem; }
nav a { color: inherit; text-decoration: none; border: 1px solid var(--line);
  border-radius: 999px; padding: .15rem .8rem; background: var(--card); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.4rem 1.6rem; margin: 0 0 1.6rem; }
h2 { font-size: 1.25rem; margin: 0 0 .3rem; }
pre { overflow-x: auto; background: var(--code); border-radius: 8px; padding: .7rem .9rem;
  font: 13.5px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; margin: .8rem 0; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; }
.command span, footer span { white-space: nowrap; }
.prose { background: var(--code); border-radius: 8px; padding: .2rem 1rem; margin: .8rem 0; }
@media (max-width: 40rem) { main { padding: 1.5rem .7rem 2rem; } section { padding: 1rem; } }
pre.command::before { content: "$ "; color: var(--soft); }
.pictures { display: flex; gap: .6rem; margin: 1rem 0 0; }
figure { flex: 1 1 0; min-width: 0; margin: 0; background: #fff; border-radius: 8px;
  padding: .5rem; text-align: center; }
img { max-width: 100%; height: auto; }
footer { color: var(--soft); font-size: .9rem; }
"""


def page(pieces: dict[str, Piece], command: str) -> str:
    """The whole page as text: what is made last, the largest pieces, stands first."""
    pieces = dict(reversed(pieces.items()))
    links = "".join(
        f'<a href="#{escape(name)}">{escape(p.title)}</a>' for name, p in pieces.items()
    )
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Treewright gallery</title><style>{STYLE}</style></head><body><main>"
        "<header><h1>Treewright gallery</h1>"
        "<p>One of everything that this version makes. Each piece stands below the command that "
        "makes it, so you can make it yourself, or another one.</p></header>"
        f"<nav>{links}</nav>"
        + "".join(_section(name, p) for name, p in pieces.items())
        + f"<footer>Treewright {treewright.__version__}, made by <code>{_command(command)}</code>"
        "</footer></main></body></html>\n"
    )


def _command(text: str) -> str:
    """No line ends behind the dashes of an option."""
    return re.sub(r"(?<!\S)-\S+", r"<span>\g<0></span>", escape(text))


def _section(name: str, piece: Piece) -> str:
    figures = "".join(
        f'<figure><img src="{p.uri}" alt="{escape(p.alt)}"></figure>' for p in piece.pictures
    )
    # beside each other on any screen, so that what a caption calls the left one is on the left
    pictures = f'<div class="pictures">{figures}</div>' if figures else ""
    paragraphs = "".join(f"<p>{escape(p)}</p>" for p in piece.text.split("\n\n") if p.strip())
    text = f'<div class="prose">{paragraphs}</div>' if paragraphs else ""
    return (
        f'<section id="{escape(name)}"><h2>{escape(piece.title)}</h2>'
        f"<p>{escape(piece.caption)}</p>"
        f'<pre class="command">{_command(piece.command)}</pre>{text}{pictures}</section>\n'
    )
