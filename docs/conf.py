"""The site: ``make docs`` builds it from these pages and the docstrings, warnings are errors."""

import re

from treewright import __version__

project = "Treewright"
author = "The Treewright authors"
copyright = "The Treewright authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
pygments_dark_style = "github-dark"  # the theme's own underlines what is imported
html_title = f"Treewright {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]
copybutton_prompt_text = "$ "
highlight_language = "text"  # what a command prints is no Python

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88  # a longer one has a line for each parameter
autodoc_default_options = {"members": True}
MARKED = re.compile(r"(?<![`:\w])`([^`]+)`(?!`)")  # code, as Markdown marks it
ITEM = re.compile(r"([a-z_]+(?:, [a-z_]+)*(?:\([\w, ]*\))?): (\S.*)")


def as_list(app, what, name, obj, options, lines):
    """In docstrings of classes, lines like ``name: meaning`` are a list, unless amid a sentence."""
    if what != "class":
        return
    out, inside = [], False
    for line in lines:
        begins = not out or not out[-1] or out[-1].endswith((".", ":", ")"))
        item = ITEM.fullmatch(line) if begins else None
        if item:
            out += [] if inside else [""]
            out.append(f"- **{item[1]}**: {item[2]}")
        else:
            out.append("  " + line.strip() if inside and line else line)
        inside = bool(item) or (inside and bool(line))
    lines[:] = [MARKED.sub(r"``\1``", line) for line in out]


def setup(app):
    app.connect("autodoc-process-docstring", as_list)
