"""What fits the description of the HTTP interface is answered, and what does not: never by 500."""

# ruff: noqa: E402
from itertools import product

import pytest

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis is not installed: pip install 'treewright[dev]'"
)
pytest.importorskip(
    "nicegui", reason="the studio is not installed: pip install 'treewright[studio]'"
)

import hypothesis

from treewright.studio import api
from treewright.studio.fence import Fence
from treewright.workshop.jobs import Manager
from treewright.workshop.web import SmallBodies

EXAMPLES = 6  # of what fits each operation, and of what does not; 40 found no more, once


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """Every kind of job that there is, in a queue that nobody works off."""
    manager = Manager(tmp_path_factory.mktemp("studio"), workers=0)
    app = api.build(manager)
    app.add_middleware(SmallBodies)
    app.add_middleware(Fence, hosts=None)
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    manager.close()


def test_no_request_breaks_the_server(described):
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 20
    for operation, mode in product(operations, schemathesis.GenerationMode):
        if operation.path == "/kinds":  # takes nothing that could be wrong
            continue

        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def answered(case):
            assert case.call().status_code < 500, case.as_curl_command()

        answered()
