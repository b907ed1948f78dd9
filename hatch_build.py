"""What differs in a package: its addresses, and a README whose links lead somewhere.

Treewright has no public address yet.  Whoever publishes it fills in ``ADDRESS`` below, the address
of the repository; everything else follows from it.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESS = ""  # such as https://HOST/OWNER/treewright
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


def readme(text: str, address: str, version: str) -> str:
    """Links and pictures by their full address; without one, only their words are left."""

    def whole(link: re.Match[str]) -> str:
        picture, words, path = link.groups()
        if not address:
            return "" if picture else words
        return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/v{version}/{path})"

    return LINK.sub(whole, text)


class Metadata(MetadataHookInterface):
    """The fields ``readme`` and ``urls`` of the package."""

    def update(self, metadata: dict) -> None:
        root = Path(self.root)
        source = (root / "src" / "treewright" / "__init__.py").read_text(encoding="utf-8")
        version = re.search(r'__version__ = "([^"]+)"', source)[1]
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": readme(text, ADDRESS, version),
        }
        if ADDRESS:
            metadata["urls"] = {
                "Repository": ADDRESS,
                "Documentation": f"{ADDRESS}/blob/v{version}/docs/index.md",
                "Changelog": f"{ADDRESS}/blob/v{version}/CHANGELOG.md",
                "Issues": f"{ADDRESS}/issues",
            }
