"""From a domain and its switches to a program for a GPU, as PTX; that needs no GPU.

The text is that of the CPU's kernel, and so are the numbers: multiplications and additions are
not fused, and logarithms and roots of visits come from tables that the CPU has made.
"""

import contextlib
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import CompileError, MissingExtra
from treewright.kernel import cache
from treewright.kernel.gpu.pools import Place, Pools, Scratch, batch_places, places, rest
from treewright.kernel.hooks import Searchable
from treewright.kernel.layout import PARAMS, Batch
from treewright.kernel.native import Code
from treewright.kernel.rebind import Rebinder
from treewright.kernel.specialise import (
    NO_RULES,
    Functions,
    _key,
    _name,
    execute,
    functions_of,
    hooks,
    tables_type,
)
from treewright.kernel.waiting import compiling, ends_at_interrupt
from treewright.kernel.worker import Worker, _Rows

HERE = Path(__file__).parent
WHAT = "engine='gpu'"
Capability = tuple[int, int]
ALL = 2**62  # logarithms and roots of all counts are looked up
_alone = threading.Lock()


@dataclass(frozen=True)
class Program:
    """PTX with one entry."""

    ptx: str

    @property
    def entry(self) -> str:
        found = re.search(r"\.entry\s+([\w$]+)", self.ptx)
        assert found is not None
        return found.group(1)


def searching(like: Worker, capability: Capability) -> Program:
    """The program that searches trees like that of a worker."""
    return _searching(like, capability, {"VALUED": False}, ())


def valuing(like: Worker, capability: Capability, kinds: tuple[str, str]) -> Program:
    """The program that walks to leaves, and takes in values and weights of these kinds."""
    values, weights = (Place(0, np.dtype(kind), (2, 2), (64, 8)) for kind in kinds)
    batch = batch_places(like.switches, np.dtype(like.domain.state), 2, values, weights)
    return _searching(like, capability, {"VALUED": True, "ANSWERS": kinds}, batch)


def search_texts(like: Worker, valued: bool, entry: Path) -> tuple[Path, ...]:
    """What is executed for a search, with the entry at its end."""
    between = (HERE / "leaves_thread.py",) if valued else ()
    return (*like._texts, *between, HERE / "thread.py", entry)


def _searching(
    like: Worker, capability: Capability, more: dict[str, object], batch: tuple[Place, ...]
) -> Program:
    on, domain = like.switches, like.domain
    state = np.dtype(domain.state)
    constants = {**on.constants(), **Scratch(on, state).constants(), "TABULATED": ALL, **more}
    texts = search_texts(like, bool(batch), HERE / "entry.py")

    def signature(module: Any) -> tuple[Any, ...]:
        from numba.cuda import types

        pools = places(on, state, 2**20, 1, 1)
        tables = [given(np.asarray(table)) for table in domain.tables.values()]
        params, *others = (typed(one) for one in (place_of(PARAMS), *rest(1)))
        leaves = [typed(one) for one in batch]
        return (
            types.NamedTuple([typed(one) for one in pools], Pools),
            types.NamedTuple(tables, module.Tables) if tables else types.Tuple(()),
            params,
            *others,
            types.NamedTuple(leaves, Batch) if batch else types.Tuple(()),
            types.int64,
        )

    return made(domain, constants, texts, "searches", signature, capability, on.rules)


def committing(like: Worker, capability: Capability) -> Program:
    """The program that plays an action at the root of each tree."""
    on, domain = like.switches, like.domain
    state = np.dtype(domain.state)
    constants = {**on.constants(), **Scratch(on, state).constants()}

    def signature(module: Any) -> tuple[Any, ...]:
        from numba.cuda import types

        pools = places(on, state, 2**20, 1, 1)
        tables = [given(np.asarray(table)) for table in domain.tables.values()]
        return (
            types.NamedTuple([typed(one) for one in pools], Pools),
            types.NamedTuple(tables, module.Tables) if tables else types.Tuple(()),
            *(typed(one) for one in rest(1)),
            typed(place_of(np.dtype(np.int32), 2)),
            types.int64,
        )

    texts = commit_texts(like, HERE / "commits_entry.py")
    return made(domain, constants, texts, "commits_there", signature, capability, on.rules)


def commit_texts(like: Worker, entry: Path) -> tuple[Path, ...]:
    """What is executed for a commit, with the entry at its end."""
    beside = HERE.parent / "phases.py", HERE.parent / "commits.py"
    return (*like._texts, *beside, HERE / "commits_thread.py", entry)


def at_roots(like: Worker, capability: Capability) -> Program:
    """The program for the small works at the roots."""
    pools = places(like.switches, np.dtype(like.domain.state), 2**20, 1, 1)
    node, edge = pools.nodes.dtype, pools.edges.dtype
    compact = place_of(node, 2), place_of(edge, 2)
    kinds = (pools.nodes, pools.edges, place_of(node), place_of(np.dtype(np.int64)), *compact)

    def signature(module: Any) -> tuple[Any, ...]:
        from numba.cuda import types

        return types.int64, *(typed(one) for one in kinds)

    texts = (HERE / "roots.py", HERE / "roots_entry.py")
    constants = {"LISTS_ALL": like.lists_all}
    return made(_Rows(node, edge), constants, texts, "roots", signature, capability)


def place_of(dtype: np.dtype, dimensions: int = 1) -> Place:
    from treewright.kernel.gpu.pools import place

    return place(dtype, *[2] * dimensions)


def typed(one: Place) -> Any:
    """An array's type, as the compiler has it."""
    from numba.cuda import types
    from numba.cuda.np.numpy_support import from_dtype

    return types.Array(from_dtype(one.dtype), len(one.shape), one.layout)


def given(array: np.ndarray) -> Any:
    from numba.cuda import types
    from numba.cuda.np.numpy_support import from_dtype

    return types.Array(from_dtype(array.dtype), array.ndim, "C")


def made(
    domain: Searchable,
    constants: Mapping[str, object],
    texts: tuple[Path, ...],
    entry: str,
    signature: Any,
    capability: Capability,
    rules: Functions = NO_RULES,
) -> Program:
    """A program from the cache, or compiled now."""
    text = "\n\n".join(path.read_text() for path in texts)
    names = {**constants, "GPU": (capability, _versions())}
    key, keep = _key(domain, names, text, False, rules)
    name = f"{entry}-gpu"
    with _alone, cache.alone(key if keep else None, name):
        kept = cache.read(key, name) if keep else None
        if kept is not None:
            return Program(kept.machine.decode())
        module = execute(text, str(texts[-1]), f"treewright_gpu_{key[:32]}")
        try:
            with compiling(f"{_name(domain)}: {name}"), ends_at_interrupt():
                ptx = _compiled(domain, constants, module, entry, signature, capability, rules)
        except MemoryError:
            raise
        except Exception as error:  # the compiler stumbles in more than one way
            from treewright.kernel.explain import explain

            said = explain(domain, error, rules)  # type: ignore[arg-type]
            raise CompileError(f"{WHAT} can't compile this: {said}") from error
        if keep:
            cache.write(key, name, Code(entry, (), (), ptx.encode()))
    return Program(ptx)


def _versions() -> tuple[str, ...]:
    """What compiles: numba-cuda, and the library NVVM, which has no number that tells it apart."""
    try:
        import numba_cuda
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ImportError:
        raise MissingExtra(WHAT, "gpu") from None
    try:
        library = Path(load_nvidia_dynamic_lib("nvvm").abs_path or "")
        found = library.resolve().stat()
    except Exception:  # it comes in a package of its own
        raise MissingExtra(f"{WHAT} (its compiler)", "gpu") from None
    return numba_cuda.__version__, str(library), str(found.st_size), str(found.st_mtime_ns)


def _compiled(
    domain: Searchable,
    constants: Mapping[str, object],
    module: Any,
    entry: str,
    signature: Any,
    capability: Capability,
    rules: Functions,
) -> str:
    from numba import cuda
    from numba.cuda import compiler

    def within(function: Any, **_: Any) -> Any:
        return cuda.jit(device=True)(function)

    own = functions_of(module)
    rebind = Rebinder(within)
    helpers = {
        name: rebind.value(value, frozenset())
        for name, value in vars(module).items()
        if name not in own and not name.startswith("__")
    }
    module.Tables = tables_type(domain.table_names)
    module.__dict__.update(
        helpers,
        **hooks(domain.functions, rules, within, rebind),
    )
    module.__dict__.update(constants)  # last: TABULATED is another one here
    for name, function in own.items():
        if name != entry:
            module.__dict__[name] = within(function)
    with _for(capability):
        library, _ = compiler._compile_pyfunc_with_fixup(
            own[entry], signature(module), device=False, cc=capability, abi="numba"
        )
        library._nvvm_options["fma"] = 0
        ptx: str = library.get_asm_strs(cc=capability)[0]
    return ptx


@contextlib.contextmanager
def _for(capability: Capability) -> Iterator[None]:
    """Let the compiler work for a device that need not be there."""
    from numba.cuda import dispatcher

    class Device:
        compute_capability = capability

    current = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: Device
    try:
        yield
    finally:
        dispatcher.get_current_device = current
