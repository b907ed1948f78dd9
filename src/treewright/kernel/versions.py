"""The versions of what is installed, without importing it."""

import functools
from importlib import metadata


@functools.cache
def version(package: str) -> str:
    return metadata.version(package)
