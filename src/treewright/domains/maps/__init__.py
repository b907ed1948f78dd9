"""Maps between checkpoints: what should be near is near, what should be far is far."""

from treewright.domains.maps.spec import MapSpec, SpecError, load_spec

__all__ = ["MapSpec", "SpecError", "load_spec"]
