"""One folder for each application, with everything of it; see ``library/applications.py``."""

ORDER = ("games", "go", "maps", "functions", "levels", "stories", "study", "tactics")
"""How they are listed; one that is not named here comes last."""
