"""One thread for the products of a search, all of them for the function that it minimises."""

import threading

import numpy as np
import pytest

import treewright as tw
from treewright.apps.functions import blas


@pytest.fixture
def count(monkeypatch):
    """What OpenBLAS is told, instead of OpenBLAS."""
    told = [4]
    monkeypatch.setattr(blas, "_threads", lambda: (lambda: told[-1], told.append))
    return told


def test_the_function_has_all_threads_and_the_search_has_one(count):
    seen = []

    def f(x):
        seen.append(count[-1])
        return float(x @ x)

    tw.minimize(f, [(-1.0, 1.0)] * 2, budget=40)
    assert set(seen) == {4}
    assert 1 in count
    assert count[-1] == 4


def test_beside_another_search_the_function_has_one_too(count):
    with blas.one_thread():
        with blas.one_thread(), blas.usual_threads():
            assert count[-1] == 1
        assert count[-1] == 1
        with blas.usual_threads():
            assert count[-1] == 4
        assert count[-1] == 1
    assert count[-1] == 4


def test_a_search_in_another_thread_ends_alone(count):
    begun, end = threading.Event(), threading.Event()

    def other():
        with blas.one_thread():
            begun.set()
            end.wait()

    thread = threading.Thread(target=other)
    with blas.one_thread():
        thread.start()
        begun.wait()
    assert count[-1] == 1
    end.set()
    thread.join()
    assert count[-1] == 4


def test_openblas_is_found_and_obeys():
    if not blas._threads():
        pytest.skip("NumPy multiplies with something else here")
    before = blas._count()
    with blas.one_thread():
        assert blas._count() == 1
    assert blas._count() == before


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_the_result_does_not_depend_on_the_number_of_threads(cores):
    """In ten dimensions a model has 66 coefficients, whose products OpenBLAS shares out."""
    if not blas._threads():
        pytest.skip("NumPy multiplies with something else here")
    before = blas._count()
    blas._set(cores)
    try:
        found = tw.minimize(_rosenbrock, [(-5.0, 4.0)] * 10, budget=900, method="runs")
    finally:
        blas._set(before)
    with blas.one_thread():
        alone = tw.minimize(_rosenbrock, [(-5.0, 4.0)] * 10, budget=900, method="runs")
    assert found.curve == alone.curve


def _rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + np.square(1 - x[:-1])).sum())
