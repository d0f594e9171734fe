# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s --first 0 --count 60 | FileCheck %s
"""The verdicts of the check `initialized` on random kernels that copy to the slots of a buffer and wait for the copies.

The programs are followed in Python: a copy has certainly arrived when its semaphore has given out all it was given. A
read of a slot to which no copy has certainly arrived must not be proved, and one that is refuted must be such a read. A
longer run is
`python test/Integration/check-initialized.py --first 0 --count 3000`.
"""

import argparse
import dataclasses
import random
from collections import Counter
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.checks import check_kernel
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SLOTS = 3

# A slot, of the number of the iteration and what the loop carries, which flips between 0 and 1.
PLACES = {
    "0": lambda i, flip: 0,
    "1": lambda i, flip: 1,
    "2": lambda i, flip: 2,
    "parity": lambda i, flip: i % 2,
    "other parity": lambda i, flip: (i + 1) % 2,
    "third": lambda i, flip: i % 3,
    "next third": lambda i, flip: (i + 1) % 3,
    "flip": lambda i, flip: flip,
    "flop": lambda i, flip: 1 - flip,
}


@dataclasses.dataclass(frozen=True)
class Step:
    """An action: start(slot, semaphore), wait(semaphore), read(slot) or write(slot), in some iterations."""

    action: str
    slot: str
    semaphore: str
    when: str  # "always", "first", "later" or "not last"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A loop in each program, and whether buffer and semaphores are those of a scope in the program."""

    programs: int
    iterations: int
    prologue: tuple[Step, ...]
    body: tuple[Step, ...]
    scoped: bool


WHEN = {
    "always": lambda i, n: True,
    "first": lambda i, n: i == 0,
    "later": lambda i, n: i > 0,
    "not last": lambda i, n: i + 1 < n,
}


def make(seed: int) -> Kernel:
    """The kernel of a seed: a correct pipeline with a few changes."""
    rng = random.Random(seed)
    ahead, now = rng.choice((("flop", "flip"), ("other parity", "parity"), ("next third", "third")))
    prologue = [Step("start", now if now != "flip" else "0", now if now != "flip" else "0", "always")]
    body = [
        Step("start", ahead, ahead, "not last"),
        Step("wait", now, now, "always"),
        Step("read", now, "0", "always"),
    ]
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        change = rng.choice(("slot", "semaphore", "when", "drop", "swap", "write"))
        at = rng.randrange(len(body))
        place = rng.choice(list(PLACES))
        if change == "slot":
            body[at] = dataclasses.replace(body[at], slot=place)
        elif change == "semaphore":
            body[at] = dataclasses.replace(body[at], semaphore=place)
        elif change == "when":
            body[at] = dataclasses.replace(body[at], when=rng.choice(list(WHEN)))
        elif change == "drop":
            (prologue if rng.random() < 0.3 and prologue else body).pop()
            if not body:
                body.append(Step("read", now, "0", "always"))
        elif change == "swap":
            other = rng.randrange(len(body))
            body[at], body[other] = body[other], body[at]
        else:
            body.insert(at, Step("write", place, "0", rng.choice(list(WHEN))))
    return Kernel(rng.choice((1, 2)), rng.choice((2, 3, 4)), tuple(prologue), tuple(body), rng.random() < 0.5)


def reads_early(kernel: Kernel) -> bool:
    """Whether a program may read a slot to which nothing has certainly arrived, before one of them hangs."""
    filled: set[int] = set()
    pending: dict[int, list[int]] = {}
    given: Counter[int] = Counter()
    for _ in range(kernel.programs):
        if kernel.scoped:
            filled, pending, given = set(), {}, Counter()
        rounds = [(step, 0, 0) for step in kernel.prologue]
        rounds += [(step, i, i % 2) for i in range(kernel.iterations) for step in kernel.body]
        for number, (step, i, flip) in enumerate(rounds):
            if number >= len(kernel.prologue) and not WHEN[step.when](i, kernel.iterations):
                continue
            slot, semaphore = PLACES[step.slot](i, flip), PLACES[step.semaphore](i, flip)
            if step.action == "start":
                pending.setdefault(semaphore, []).append(slot)
                given[semaphore] += 1
            elif step.action == "wait":
                if given[semaphore] == 0:
                    return False  # It hangs.
                given[semaphore] -= 1
                if given[semaphore] == 0:
                    filled |= set(pending.pop(semaphore))
            elif step.action == "write":
                filled.add(slot)
            elif slot not in filled:
                return True
    return False


def build(kernel: Kernel) -> Any:
    """The function that calls it."""

    def body(x_ref, o_ref, *scratch):
        def run(buffer, semaphores):
            def act(step, i, flip):
                slot, semaphore = PLACES[step.slot](i, flip), PLACES[step.semaphore](i, flip)
                if step.action == "start":
                    pltpu.make_async_copy(x_ref, buffer.at[slot], semaphores.at[semaphore]).start()
                elif step.action == "wait":
                    pltpu.make_async_copy(x_ref, buffer.at[0], semaphores.at[semaphore]).wait()
                elif step.action == "write":
                    buffer[slot] = jnp.zeros((8, 128), jnp.float32)
                else:
                    o_ref[...] += buffer[slot]

            o_ref[...] = jnp.zeros((8, 128), jnp.float32)
            for step in kernel.prologue:
                act(step, 0, 0)

            def once(i, flip):
                for step in kernel.body:
                    pl.when(WHEN[step.when](i, kernel.iterations))(lambda step=step: act(step, i, flip))
                return 1 - flip

            jax.lax.fori_loop(0, kernel.iterations, once, 0)

        if kernel.scoped:
            pl.run_scoped(run, *SCRATCH)
        else:
            run(*scratch)

    SCRATCH = pltpu.VMEM((SLOTS, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((SLOTS,))
    call = pl.pallas_call(
        body,
        grid=(kernel.programs,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        scratch_shapes=() if kernel.scoped else SCRATCH,
    )
    return lambda: call(jnp.ones((8, 128), jnp.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        kernel = make(seed)
        [lowered] = gridir.lower(build(kernel)).kernels
        checks = check_kernel(lowered, ["initialized"]).checks
        [check] = [check for check in checks if check.subject != "o_ref"]
        early = reads_early(kernel)
        counts[f"{check.verdict}, {'early' if early else 'in time'}"] += 1
        if (check.verdict == "proved" and early) or (check.verdict == "refuted" and not early):
            counts["wrong"] += 1
            print(f"{seed}: {kernel}\n  {check}", flush=True)
    print(f"{options.count} kernels, {counts['wrong']} wrong:", dict(counts))


# CHECK: kernels, 0 wrong
if __name__ == "__main__":
    main()
