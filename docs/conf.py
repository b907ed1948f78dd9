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
html_title = f"Treewright {__version__}"
html_static_path = []
exclude_patterns = ["_build"]
copybutton_prompt_text = "$ "

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
ITEM = re.compile(r"([\w, ]+(?:\([\w, ]*\))?): (\S.*)")


def as_list(app, what, name, obj, options, lines):
    """In docstrings of classes, lines like ``name: meaning`` are a list, whatever they continue."""
    if what != "class":
        return
    out, inside = [], False
    for line in lines:
        item = ITEM.fullmatch(line)
        if item:
            out += [] if inside else [""]
            out.append(f"- **{item[1]}**: {item[2]}")
        elif inside and line.startswith(" "):
            out.append("  " + line.strip())
        else:
            out += [""] if inside else []
            out.append(line)
        inside = bool(item) or (inside and line.startswith(" "))
    lines[:] = out


def setup(app):
    app.connect("autodoc-process-docstring", as_list)
