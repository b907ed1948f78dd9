"""Without the extra, the driver, a device or a new enough one: one sentence each."""

import sys
import types

import pytest

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.kernel.gpu import driver as ours


def pretend(monkeypatch, **calls):
    """A driver with these calls; each returns a code and an answer."""
    fake = types.ModuleType("cuda.bindings.driver")
    kinds = ("MAJOR", "MINOR")
    names = {f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{k}": k for k in kinds}
    fake.CUdevice_attribute = types.SimpleNamespace(**names)
    for name, call in calls.items():
        setattr(fake, name, call)
    package = types.ModuleType("cuda.bindings")
    package.driver = fake
    monkeypatch.setitem(sys.modules, "cuda", types.ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", package)
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", fake)


@pytest.fixture(autouse=True)
def forgotten():
    ours.device.cache_clear()
    yield
    ours.device.cache_clear()


def refusal():
    with pytest.raises(tw.TreewrightError) as refused:
        tw.Forest(TicTacToe(), 2, engine="gpu")
    return str(refused.value)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    assert refusal() == "engine='gpu' needs an extra: pip install 'treewright[gpu]'"


def test_without_a_driver(monkeypatch):
    def missing(flags):
        raise RuntimeError("libcuda.so.1")

    pretend(monkeypatch, cuInit=missing)
    assert refusal() == "engine='gpu' needs NVIDIA's driver, and there is none here"


def test_without_a_device(monkeypatch):
    pretend(monkeypatch, cuInit=lambda flags: (100,))
    assert refusal() == "engine='gpu' needs a CUDA device, and there is none here"
    pretend(monkeypatch, cuInit=lambda flags: (0,), cuDeviceGetCount=lambda: (0, 0))
    assert refusal() == "engine='gpu' needs a CUDA device, and there is none here"


def there(major, **more):
    """The calls of a driver with a device."""
    return {
        "cuInit": lambda flags: (0,),
        "cuDeviceGetCount": lambda: (0, 1),
        "cuDeviceGet": lambda number: (0, number),
        "cuDeviceGetName": lambda size, number: (0, b"Old One\0\0"),
        "cuDeviceGetAttribute": lambda kind, number: (0, {"MAJOR": major, "MINOR": 1}[kind]),
        "cuDevicePrimaryCtxRetain": lambda number: (0, None),
        "cuCtxSetCurrent": lambda context: (0,),
        **more,
    }


def test_with_an_old_device(monkeypatch):
    pretend(monkeypatch, **there(6))
    assert refusal() == (
        "engine='gpu' needs a device of compute capability 7.5 or above; Old One has 6.1"
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (2, "Old One has too little free memory for this: fewer positions, or less memory="),
        (222, "580 or newer"),
        (700, "reached outside its arrays"),
        (1, "cuMemAlloc of the GPU's driver has failed: 1"),
    ],
)
def test_what_the_driver_says_is_one_sentence(monkeypatch, code, said):
    pretend(monkeypatch, **there(9, cuMemAlloc=lambda size: (code, 0)))
    with pytest.raises(tw.TreewrightError) as refused:
        ours.device().allocate(1000)
    assert said in str(refused.value)
