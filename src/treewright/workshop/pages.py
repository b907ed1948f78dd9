"""A report in Markdown as one HTML file that needs nothing else."""

import base64
import html
from collections.abc import Mapping

from markdown_it import MarkdownIt

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:left}
img{max-width:100%}
p>strong:only-child{display:block;background:#fbe9e7;border-left:4px solid #c8372d;
padding:.6rem 1rem}
"""


def to_html(text: str, pictures: Mapping[str, bytes], title: str) -> str:
    """The page; ``pictures`` are the PNG files that the text shows, by name, and go inside."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        for part in token.children or ():
            if part.type == "image":
                data = base64.b64encode(pictures[str(part.attrs["src"])]).decode()
                part.attrs["src"] = f"data:image/png;base64,{data}"
    body = reader.renderer.render(tokens, reader.options, {})
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
        f"<style>{STYLE}</style>{body}</html>\n"
    )
