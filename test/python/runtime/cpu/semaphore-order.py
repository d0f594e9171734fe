# Waits for semaphores, against the definition: a wait follows a signal, or the end of a copy, if everything else that
# has been added by then does not reach what the waits so far have taken.
#
# RUN: %python %s | FileCheck %s

import random

from gridir.mlir._mlir_libs import _gridirCPU as native

READ, WRITE = 0, 1
SEMAPHORE = 1 << 20


def compare(seed: int) -> tuple[str, int]:
    """A task that waits for copies of its own and signals of others. Returns "right" or the difference."""
    rng = random.Random(seed)
    detector = native.RaceDetector()
    task = detector.fork(None, 0)
    # The byte that each has written, what it adds, and the least that it adds without having written the byte.
    additions: list[tuple[int, int, int]] = []
    taken, pending = 0, []
    certain: set[int] = set()

    def add() -> None:
        byte, amount = len(additions), rng.choice((1, 1, 2, 4, 8))
        if rng.random() < 0.5:
            copy = detector.fork(task, 0)
            detector.start_copy(copy, task, SEMAPHORE, amount)
            additions.append((byte, amount, amount - 1))
            pending.append((copy, byte))
        else:
            other = detector.fork(None, byte + 1)
            detector.access(other, byte, 1, WRITE, 0)
            detector.signal(other, SEMAPHORE, amount)
            additions.append((byte, amount, 0))

    def end() -> None:
        copy, byte = pending.pop(rng.randrange(len(pending)))
        detector.access(copy, byte, 1, WRITE, 0)
        detector.end_copy(copy, SEMAPHORE)
        detector.join(copy)

    for _ in range(rng.randrange(1, 12)):
        add()
        while pending and rng.random() < 0.5:
            end()
        arrived = sum(amount for byte, amount, _ in additions if byte not in [byte for _, byte in pending])
        if arrived > taken and rng.random() < 0.5:
            amount = rng.randint(1, arrived - taken)
            detector.wait(task, SEMAPHORE, amount)
            taken += amount
            in_all = sum(amount for _, amount, _ in additions)
            certain |= {byte for byte, amount, least in additions if in_all - amount + least < taken}
    while pending:
        end()
    for byte in sorted(certain):
        detector.access(task, byte, 1, READ, 1)
    if detector.race:
        return f"{seed}: unexpected {detector.race}", 0
    # A read of any other byte is a race.
    rest = [byte for byte, _, _ in additions if byte not in certain]
    if rest:
        detector.access(task, rng.choice(rest), 1, READ, 1)
    return ("right" if bool(detector.race) == bool(rest) else f"{seed}: missed {additions} {taken}"), len(certain)


outcomes = [compare(seed) for seed in range(4000)]
wrong = [text for text, _ in outcomes if text != "right"]
# CHECK: as defined: True [] True
print("as defined:", len(outcomes) == 4000, wrong[:3], sum(count for _, count in outcomes) > 1000)

# Many copies on one semaphore, and as many waits.
detector = native.RaceDetector()
task = detector.fork(None, 0)
copies = [detector.fork(task, 0) for _ in range(8192)]
for number, copy in enumerate(copies):
    detector.start_copy(copy, task, SEMAPHORE, 4)
    detector.access(copy, number, 1, WRITE, number)
    detector.end_copy(copy, SEMAPHORE)
    detector.join(copy)
for _ in copies:
    detector.wait(task, SEMAPHORE, 4)
detector.access(task, 0, len(copies), READ, 0)
# CHECK: many: None
print("many:", detector.race)
