# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes one synchronizing instruction at a time from JAX's own PTX, and counts the findings of the executor's checks.

Barriers of threads between which nothing happens go together, as JAX sets several where one is enough.

    python tools/jax-conformance/mutants.py --every 2

The kernels are of JAX's library, at sizes at which their rings wrap more than twice. A mutant is found where a launch
fails: by a race, by uninitialized memory, or because no thread can continue. Otherwise the results are compared with
those of the unchanged kernel. Survivors are listed with their line in the PTX: each is a fault of the checks, or
harmless.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from peer import Pipeline, replace_lowering
from worker import without_callback

_BARRIER = r"bar(?:rier)?\.sync"
_REMOVED = (
    r"barrier\.cluster\.(?:arrive|wait)",
    r"fence\.proxy\.async",
    r"fence\.mbarrier_init",
    r"wgmma\.fence",
    r"wgmma\.wait_group",
    r"cp\.async\.bulk\.wait_group",
    r"mbarrier\.arrive(?!\.expect_tx)",
    r"tcgen05\.(?:fence|wait)",
    r"tcgen05\.commit",
)
_GUARD = r"(?:@!?%?\w+\s+)?"
_WAIT = re.compile(r"mbarrier\.try_wait[\w.:]*\s+(%?\w+),[^;]*;")
_BETWEEN = re.compile(
    r"\b(?:ld|st|atom|red|bra|cp|mbarrier|wgmma|tcgen05|barrier|mapa)\.(?!\w+\.bulk\.wait)|^\$", re.MULTILINE
)
"""Instructions that a barrier may order, and points where control flow joins."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A text without one instruction, or one group of barriers.

    Attributes:
      kind: the kind of the removed instructions.
      line: where the first one was.
      text: the PTX.
    """

    kind: str
    line: int
    text: str


def _groups(text: str, matches: Iterable[re.Match[str]]) -> list[list[re.Match[str]]]:
    """Barriers with no accesses in between that they could order: JAX inserts several where one suffices."""
    groups: list[list[re.Match[str]]] = []
    for match in matches:
        if groups and not _BETWEEN.search(text[groups[-1][-1].end() : match.start()]):
            groups[-1].append(match)
        else:
            groups.append([match])
    return groups


def mutants(text: str) -> list[Mutant]:
    """One mutant for each synchronising instruction, in the order of the text; a wait for a barrier is over at once."""
    result = []

    def add(kind: str, group: list[re.Match[str]], instead: str = "") -> None:
        mutant = text
        for match in reversed(group):
            mutant = mutant[: match.start()] + instead + mutant[match.end() :]
        result.append(Mutant(kind, text.count("\n", 0, group[0].start()) + 1, mutant))

    for group in _groups(text, re.finditer(rf"{_GUARD}\b{_BARRIER}[^;]*;", text)):
        add("bar.sync", group)
    for pattern in _REMOVED:
        for match in re.finditer(rf"{_GUARD}\b({pattern})[^;]*;", text):
            add(match[1], [match])
    for match in _WAIT.finditer(text):
        add("mbarrier.try_wait", [match], f"setp.eq.b32 {match[1]}, 0, 0;")
    return sorted(result, key=lambda mutant: mutant.line)


def wait_for_products(text: str) -> str:
    """The loop waits for the product of the step before, whose operands the next copy replaces."""
    return text.replace(
        "wgmma.commit_group.sync.aligned;", "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;"
    )


def wait_for_copies(text: str) -> str:
    """A thread that ends waits for the copies that it has started."""
    return re.sub(r"\bret;", "cp.async.bulk.wait_group 0; ret;", text)


@dataclasses.dataclass(frozen=True)
class LibraryKernel:
    """A kernel of JAX's library.

    Attributes:
      run: calls it on inputs of its own.
      mend: makes of its PTX one in which the checks find nothing, where they do.
      launches: how many of its launches are looked at: the last ones.
    """

    run: Callable[[], np.ndarray]
    mend: Callable[[str], str] = lambda text: text
    launches: int = 1


def kernels(become: Callable[[int], None]) -> dict[str, LibraryKernel]:
    """The kernels of the library by their names.

    Args:
      become: is told the first part of the compute capability that a kernel is for.
    """
    import jax
    import jax.numpy as jnp
    from jax.experimental.pallas.ops.gpu import (
        attention_mgpu,
        blackwell_matmul_mgpu,
        hopper_matmul_mgpu,
        ragged_dot_mgpu,
        transposed_ragged_dot_mgpu,
    )

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(np.random.default_rng(shape).standard_normal(shape) * 0.5, jnp.float16)

    def hopper(**options: Any) -> np.ndarray:
        become(9)
        config = hopper_matmul_mgpu.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, **options)
        return np.asarray(hopper_matmul_mgpu.matmul(normal(256, 320), normal(320, 256), None, config))

    def attention() -> np.ndarray:
        become(9)
        config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
        return np.asarray(
            attention_mgpu.attention(normal(1, 128, 1, 64), normal(1, 320, 1, 64), normal(1, 320, 1, 64), config)
        )

    def attention_backward() -> np.ndarray:
        become(9)
        config = attention_mgpu.TuningConfig(
            block_q=64,
            block_kv=64,
            max_concurrent_steps=2,
            block_q_dkv=64,
            block_kv_dkv=64,
            block_q_dq=64,
            block_kv_dq=64,
        )
        query, key, value = normal(1, 384, 1, 64), normal(1, 320, 1, 64), normal(1, 320, 1, 64)
        _, pull_back = jax.vjp(functools.partial(attention_mgpu.attention, config=config), query, key, value)
        return np.concatenate([np.asarray(x) for x in pull_back(query)], axis=1)

    def ragged(
        function: Callable[..., jax.Array], a: jax.Array, b: jax.Array, sizes: list[int], steps: int
    ) -> np.ndarray:
        become(9)
        blocks = {"block_m": 64, "block_n": 64, "block_k": 64, "grid_block_n": 1}
        group_sizes = jnp.asarray(sizes, jnp.int32)
        return np.asarray(function(a, b, group_sizes=group_sizes, max_concurrent_steps=steps, **blocks))

    def ragged_dot() -> np.ndarray:
        return ragged(ragged_dot_mgpu.ragged_dot, normal(128, 320), normal(3, 320, 128), [40, 0, 88], 3)

    def transposed_ragged_dot() -> np.ndarray:
        function = transposed_ragged_dot_mgpu.transposed_ragged_dot
        return ragged(function, normal(448, 128), normal(448, 64), [200, 0, 248], 2)

    def blackwell(collective: bool) -> np.ndarray:
        become(10)
        config = blackwell_matmul_mgpu.TuningConfig(
            tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=collective
        )
        # Eight blocks run at once: each computes four tiles, or of a pair two, as pairs with more have a finding.
        return np.asarray(blackwell_matmul_mgpu.matmul_kernel(normal(1024, 320), normal(320, 256), config))

    cluster = {"cluster_dimension": hopper_matmul_mgpu.MatmulDimension.M}
    return {
        "hopper_matmul": LibraryKernel(hopper),
        "hopper_matmul, cluster of 2": LibraryKernel(lambda: hopper(**cluster)),
        "attention": LibraryKernel(attention),
        "attention, backward": LibraryKernel(attention_backward, launches=2),
        "ragged_dot": LibraryKernel(ragged_dot, wait_for_products),
        "transposed_ragged_dot": LibraryKernel(transposed_ragged_dot, wait_for_products),
        "blackwell_matmul": LibraryKernel(lambda: blackwell(collective=False), wait_for_copies),
        "blackwell_matmul, pair": LibraryKernel(lambda: blackwell(collective=True), wait_for_copies),
    }


def replace(original: str, mutant: str, mend: Callable[[str], str], text: str) -> str:
    """Returns the text to execute instead of another one: a mutant, or the original text without its findings."""
    return mutant if text == original else mend(text)


_KINDS = {
    "unordered": "unordered accesses",
    "expected 'fence.proxy.async'": "missing fence.proxy.async",
    "expected 'tcgen05": "missing fence or wait of tcgen05",
    "expected 'wgmma.fence'": "missing wgmma.fence",
    "expected a wait": "missing wait",
    "has written": "unwritten memory",
    "go on": "no thread can continue",
}


def outcome(run: Callable[[], np.ndarray], want: np.ndarray) -> str:
    """Returns the fate of a mutant: the kind of the error, "wrong values" or "lives"."""
    try:
        got = run()
    except Exception as error:  # XLA wraps what a callback raises.
        message = without_callback(str(error)).partition(", by '")[0]
        return next((kind for words, kind in _KINDS.items() if words in message), message[:100])
    return "lives" if np.array_equal(got, want) else "wrong values"


def main() -> None:
    """Prints a table by kind of instruction, and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kernels; all when none is given")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only each K-th of the mutants")
    arguments = parser.parse_args()
    pipeline = Pipeline()
    driver = pipeline.driver
    driver.options = {"checks": ["races", "uninitialized"], "timeout": 120}
    import jax

    logging.disable(logging.ERROR)  # JAX reports every callback that fails.
    device: Any = type(jax.devices()[0])
    device.core_count = 4
    replace_lowering(pipeline)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    living = []
    for name, kernel in kernels(driver.pretend).items():
        if arguments.names and name not in arguments.names:
            continue
        driver.rewrite = kernel.mend
        run, want = kernel.run, kernel.run()
        for launch in driver.launches[-kernel.launches :]:
            text = kernel.mend(launch.text)
            for mutant in mutants(text)[:: arguments.every]:
                driver.rewrite = functools.partial(replace, launch.text, mutant.text, kernel.mend)
                told = outcome(run, want)
                counts[mutant.kind][told] += 1
                print(f"{name}, {launch.function}, line {mutant.line}, {mutant.kind}: {told}", flush=True)
                if told == "lives":
                    line = text.splitlines()[mutant.line - 1].strip()
                    living.append(f"{name}, {launch.function}: line {mutant.line}: {line}")
        driver.rewrite = None
    print()
    print("| removed | mutants | found | how | lives |")
    print("| --- | ---: | ---: | --- | ---: |")
    for kind, told in sorted(counts.items()):
        found = sum(told.values()) - told["lives"]
        how = ", ".join(f"{words} {count}" for words, count in told.most_common() if words != "lives")
        print(f"| `{kind}` | {sum(told.values())} | {found} | {how} | {told['lives']} |")
    print("\n".join(["", *living]))


if __name__ == "__main__":
    main()
