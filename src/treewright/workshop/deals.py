"""Domains that draw how they begin, such as a deal of cards, from a setting ``seed``."""

import inspect
from collections.abc import Mapping
from typing import Any

from treewright.library.domain import Domain
from treewright.library.registry import find


def dealt(spec: str, settings: Mapping[str, Any], seed: int) -> Domain:
    """The domain; with this ``seed``, where it has such a setting and nobody has given it."""
    domain = find(spec, **settings)
    start = type(domain).start  # type: ignore[attr-defined]
    if "seed" in settings or "seed" not in inspect.signature(start).parameters:
        return domain
    return find(spec, **settings, seed=seed)
