"""Evaluators beside a GPU: leaves lie in its memory, and answers are taken from there."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.nim import Nim


class There:
    """Numbers in the memory of the pretended device, as CuPy or PyTorch would give them."""

    def __init__(self, device, numbers):
        self.address = device.allocate(numbers.nbytes)
        device.put(self.address, numbers)
        self.__cuda_array_interface__ = {
            "shape": numbers.shape,
            "typestr": numbers.dtype.str,
            "data": (device.pointer(self.address), False),
            "version": 2,
        }


def guess(stones):
    """For the player to move, and a weight for each number of stones to take."""
    weights = np.stack([stones * 0.0, 1.0 + stones % 3, 2.0 + stones % 2, 1.0 + 0 * stones], axis=1)
    return 0.25 + 0.5 * (stones % 4 > 0), weights


def on_the_cpu(states):
    return guess(states["stones"].astype(np.float64))


def seen(array):
    """What another library sees through the interface, without a copy."""
    known = array.__cuda_array_interface__
    import ctypes

    size = known["strides"][0] * known["shape"][0]
    memory = (ctypes.c_uint8 * size).from_address(known["data"][0])
    kind = np.dtype(known["typestr"])
    return np.ndarray(known["shape"], kind, memory, 0, known["strides"])


class Weighed(Nim):
    """Nim with weights, for PUCT."""

    def weight(s, action):
        return 1.0


OPTIONS = tw.Options(puct=True, c=1.25)


def test_trees_are_those_of_the_cpu(device):
    kept = []

    def on_the_device(states):
        stones = seen(states["stones"])
        assert (np.from_dlpack(states["stones"]) == stones).all()
        assert (states.get()["stones"] == stones).all()
        assert (np.asarray(states["stones"]) == stones).all()
        answers = [
            There(device, part.astype(np.float32)) for part in guess(stones.astype(np.float64))
        ]
        kept.extend(answers)
        return tuple(answers)

    how = {"seed": 2, "memory": "1MiB", "batch": 3}
    mine = tw.Forest(Weighed(heap=9), 4, OPTIONS, engine="gpu", evaluate=on_the_device, **how)
    theirs = tw.Forest(Weighed(heap=9), 4, OPTIONS, evaluate=on_the_cpu, **how)
    for _ in range(3):
        for forest in (mine, theirs):
            forest.run(40)
        assert (mine.simulations == theirs.simulations).all()
        for i in range(4):
            a, b = mine._trees.saved(i), theirs._trees.saved(i)
            for part in ("nodes", "edges", "run"):
                for field in a[part].dtype.names:
                    assert a[part][field].tobytes() == b[part][field].tobytes(), (i, part, field)
        for forest in (mine, theirs):
            forest.commit()
    assert device.waited >= len(kept) / 2


def test_an_evaluator_may_answer_from_the_cpu(device):
    forest = tw.Forest(
        Weighed(heap=5),
        2,
        OPTIONS,
        memory="1MiB",
        engine="gpu",
        evaluate=lambda states: on_the_cpu(np.asarray(states)),
    )
    assert (forest.run(300).best == 1).all()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda s: np.full(len(s), np.nan), "infinite or nan"),
        (lambda s: (np.zeros(len(s)), np.full((len(s), 4), -1.0)), "a weight below 0"),
        (lambda s: np.zeros(len(s) + 1), r"values of shape \(3,\) for 2 leaves"),
        (lambda s: (np.zeros(len(s)), np.zeros(4)), r"weights of shape \(4,\)"),
        (lambda s: "none", "no numbers"),
        (lambda s: 1 / 0, "evaluate raised ZeroDivisionError"),
    ],
)
def test_an_unfit_answer_is_one_sentence_and_the_search_goes_on(device, answer, said):
    good = []

    def evaluate(states):
        return on_the_cpu(states.get()) if good else answer(states)

    forest = tw.Forest(Weighed(heap=5), 2, OPTIONS, memory="1MiB", engine="gpu", evaluate=evaluate)
    with pytest.raises(tw.EvaluatorError, match=said):
        forest.run(10)
    good.append(1)
    fresh = tw.Forest(Weighed(heap=5), 2, OPTIONS, memory="1MiB", evaluate=on_the_cpu)
    assert forest.run(20).result(1).children == fresh.run(20).result(1).children


def test_what_can_not_be_handed_over_as_a_tensor_says_what_can():
    from treewright.kernel.gpu.handed import HandedArray
    from treewright.kernel.gpu.pools import Place

    class Device:
        dlpack = 2, 0

        def pointer(self, address):
            return address

    odd = HandedArray(Device(), 64, Place(1, np.dtype(np.int32), (2,), (7,)))
    with pytest.raises(BufferError, match=r"take states\.bytes"):
        odd.__dlpack__()
    assert odd.__dlpack_device__() == (2, 0)
