"""The HTTP interface under ``/api``: start a job of any application, follow it, fetch the result.

Each kind of job has an address of its own, with its settings as the body, so that
``/api/openapi.json`` says of each what it takes.  Pages and commands call the same functions.
"""

import asyncio
import time
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

import treewright
from treewright.errors import TreewrightError
from treewright.workshop.jobs import Busy, Job, JobError, Manager, NoJob, Work
from treewright.workshop.web import is_local

LOOK = 0.05  # seconds between looks at a job that somebody follows
MEDIA = {"png": "image/png", "svg": "image/svg+xml", "json": "application/json"}


class Problem(BaseModel):
    """What was wrong, in one sentence."""

    detail: str


class JobState(BaseModel):
    """A job as it stands."""

    id: str
    kind: str
    settings: dict[str, Any]
    state: str = Field(description="waiting, running, done, failed, cancelled or cut")
    words: str = Field(description="where it is, or what went wrong")
    share: float | None = Field(description="how much is done, from 0 to 1, where that is known")
    preview: Any = Field(description="a look at what is there so far")
    rating: int
    asked: float
    began: float | None
    ended: float | None
    version: int = Field(description="grows with every change while it waits or runs")


class Kind(BaseModel):
    """A kind of job."""

    name: str
    title: str
    formats: dict[str, str] = Field(description="format → media type")
    local: bool = Field(description="only this machine may start it, since it runs code")
    settings: dict[str, Any] = Field(description="what it takes, as a JSON schema")


Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
CODES: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem} for code in (400, 403, 404, 409, 413, 422, 429)
}


def build(manager: Manager) -> FastAPI:
    """The application that is mounted at ``/api``."""
    api = FastAPI(
        title="Treewright studio",
        version=treewright.__version__,
        description="Jobs of all applications: start, follow, cancel, fetch.",
        docs_url=None,  # FastAPI's pages load scripts from another host; ours is /interface
        redoc_url=None,
        responses=CODES,
    )

    @api.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return RedirectResponse("/interface")

    _sentences(api)
    _kinds(api, manager)
    _one_job(api, manager)
    _results(api, manager)
    return api


def state_of(job: Job) -> JobState:
    fields = {k: v for k, v in vars(job).items() if k != "owner"}
    return JobState(**fields | {"settings": dict(job.settings)})


def _kinds(api: FastAPI, manager: Manager) -> None:
    @api.get("/kinds")
    def kinds() -> list[Kind]:
        """Every kind of job, with what it takes and the formats of its result."""
        return [
            Kind(
                name=name,
                title=work.title,
                formats={form: export.media for form, export in work.exports.items()},
                local=work.local,
                settings=work.settings.model_json_schema(),
            )
            for name, work in manager.works.items()
        ]

    for name, work in manager.works.items():
        _starter(api, manager, name, work)


def _starter(api: FastAPI, manager: Manager, name: str, work: Work) -> None:
    settings = work.settings

    def start(request: Request, body: Any) -> JobState:
        if work.local and not is_local(request.scope):
            raise HTTPException(403, f"{name} runs code, so only this machine may start it")
        owner = request.client.host if request.client else ""
        return state_of(manager.start(name, body, owner=f"api {owner}"))

    start.__annotations__["body"] = settings
    start.__doc__ = f"{work.title}: queue a job; the answer has its id."
    api.post(f"/jobs/{name}", status_code=202, name=f"start {name}", operation_id=f"start_{name}")(
        start
    )


def _one_job(api: FastAPI, manager: Manager) -> None:
    @api.get("/jobs")
    def jobs(
        kind: Annotated[str, Query(max_length=60)] = "",
        most: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> list[JobState]:
        """The newest jobs first."""
        return [state_of(job) for job in manager.jobs(kind, most)]

    @api.get("/jobs/{job}")
    async def look(
        job: Id,
        after: Annotated[int, Query(ge=-1, le=2**31, description="a version you have")] = -1,
        wait: Annotated[float, Query(ge=0, le=30, description="seconds, for a change")] = 0,
    ) -> JobState:
        """A job as it stands; with ``wait``, as soon as it is not the version you have."""
        until = time.monotonic() + wait
        found = await run_in_threadpool(manager.look, job)
        while found.open and found.version == after and time.monotonic() < until:
            await asyncio.sleep(LOOK)
            found = await run_in_threadpool(manager.look, job)
        return state_of(found)

    @api.post("/jobs/{job}/cancel")
    def cancel(job: Id) -> JobState:
        """End a job that waits or runs; nothing happens to one that is over."""
        return state_of(manager.cancel(job))

    @api.post("/jobs/{job}/rating")
    def rate(job: Id, rating: Annotated[int, Query(ge=-5, le=5)]) -> JobState:
        """Rate a job; what has a rating above 0 is never dropped to make room."""
        return state_of(manager.rate(job, rating))

    @api.delete("/jobs/{job}", status_code=204)
    def forget(job: Id) -> None:
        """Delete a job that is over, with its result."""
        manager.forget(job)


def _results(api: FastAPI, manager: Manager) -> None:
    @api.get("/jobs/{job}/result")
    def result(job: Id) -> Any:
        """The result of a job that is done, as data."""
        return manager.data(job)

    @api.get("/jobs/{job}/export/{form}", response_class=Response)
    def export(job: Id, form: Annotated[str, Path(max_length=40)]) -> Response:
        """The result in one of its formats (see ``/kinds``)."""
        content, media, name = manager.exported(job, form)
        return Response(
            content,
            media_type=media,
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    @api.get("/jobs/{job}/files/{name}", response_class=Response)
    def file(job: Id, name: Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,80}$")]) -> Response:
        """A file that a job has left, such as a picture."""
        media = MEDIA.get(name.rpartition(".")[2], "application/octet-stream")
        return Response(manager.file(job, name), media_type=media)


def _sentences(api: FastAPI) -> None:
    """Whatever is wrong is one sentence, and repeats nothing of the request."""

    @api.exception_handler(RequestValidationError)
    async def refused(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])[:200]
        said = str(first["msg"]).removeprefix("Value error, ")
        return JSONResponse({"detail": f"{where}: {said}" if where else said}, 422)

    @api.exception_handler(TreewrightError)
    async def failed(request: Request, error: TreewrightError) -> Response:
        codes: dict[type, int] = {NoJob: 404, Busy: 429, JobError: 409}
        code = next((c for kind, c in codes.items() if isinstance(error, kind)), 400)
        return JSONResponse({"detail": str(error)}, code)
