"""The oldest versions that pyproject.toml allows, for ``pip install -c``: ``numpy==1.26`` …"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def main() -> None:
    project = tomllib.loads(PROJECT.read_text())["project"]
    tested = [d for d in project["optional-dependencies"]["dev"] if re.match("pytest|hypo", d)]
    for needed in [*project["dependencies"], *tested]:
        name, oldest = re.match(r"([\w-]+)>=([\d.]+)", needed).groups()
        print(f"{name}=={oldest}")


if __name__ == "__main__":
    main()
