"""Jobs for the tests of the manager: loaded by its processes as ``slow_jobs:…``."""

import os
import time

from pydantic import BaseModel, Field

from treewright.errors import OptionError
from treewright.workshop.jobs.work import Export, Result, Work


class Settings(BaseModel):
    name: str = Field("", max_length=20)
    until: str = Field("", max_length=500)  # a file whose presence ends the wait
    fails: str = ""


def run(settings, report):
    report(None, "begun", lambda: {"pid": os.getpid()})
    if settings.fails == "sentence":
        raise OptionError("this can't be")
    if settings.fails == "bug":
        raise RuntimeError("a bug")
    if settings.fails == "dies":
        os._exit(3)
    while settings.until and not os.path.exists(settings.until):  # noqa: PTH110
        time.sleep(0.01)
    return Result({"name": settings.name}, {"a.txt": b"text"})


WAIT = Work(
    "Wait", Settings, run, {"text": Export(".txt", "text/plain", lambda d: d["name"].encode())}
)
LOCAL = Work("Code", Settings, run, local=True)


def answer(a, b):
    return a + b


def when_there(path):
    """Answers as soon as a file is there."""
    while not os.path.exists(path):  # noqa: PTH110
        time.sleep(0.01)
    return "there"


def compute():
    while True:
        pass


def refuse():
    raise OptionError("not this")
