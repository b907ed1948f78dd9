"""What can be wrong with a study."""

from treewright.errors import TreewrightError


class StudyError(TreewrightError):
    """A study, its data or a model that can't be used."""
