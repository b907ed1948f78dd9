"""Jobs: work of the applications that takes a while, done by processes of its own and kept.

An application declares its :class:`Work` (``App(jobs=...)``); a :class:`Manager` queues what is
asked for, runs it and stores the results.
"""

from treewright.workshop.jobs.manager import Busy, Job, Manager, NoJob
from treewright.workshop.jobs.store import JobError
from treewright.workshop.jobs.work import Export, Report, Result, Work

__all__ = [
    "Busy",
    "Export",
    "Job",
    "JobError",
    "Manager",
    "NoJob",
    "Report",
    "Result",
    "Work",
]
