# RUN: %python %s | FileCheck %s

# The detector alone, without kernels: what it says of random programs is what the definition of a race says.
import random
import time

from gridir.mlir._mlir_libs import _gridirCPU as native

READ, WRITE, ATOMIC = range(3)


class Definition:
    """Races by their definition: every access is kept with all that happens before it."""

    def __init__(self):
        self.known, self.accesses, self.semaphores, self.cells, self.race = {}, [], {}, {}, None

    def fork(self, parent, thread):
        self.known[thread] = set() if parent is None else set(self.known[parent])

    def release(self, thread, semaphore):
        self.semaphores.setdefault(semaphore, set()).update(self.known[thread])

    def acquire(self, thread, semaphore):
        self.known[thread] |= self.semaphores.get(semaphore, set())

    def forget(self, begin, size):
        self.accesses = [(i, kind, bytes_ - set(range(begin, begin + size))) for i, kind, bytes_ in self.accesses]
        for byte in range(begin, begin + size):
            self.cells.pop(byte, None)
            self.semaphores.pop(byte, None)

    def access(self, thread, begin, size, kind, site):
        touched = set(range(begin, begin + size))
        if kind == ATOMIC:
            for byte in touched:
                self.known[thread] |= self.cells.get(byte, set())
        for other, other_kind, other_touched in self.accesses:
            if kind == other_kind == READ or other in self.known[thread] or not touched & other_touched:
                continue
            self.race = True
        self.accesses.append((site, kind, touched))
        self.known[thread].add(site)
        if kind != READ:
            for byte in touched:
                self.cells[byte] = set(self.known[thread]) if kind == ATOMIC else set()


def compare(seed):
    """Runs one random program until its first race; says whether both see it at once, and what it is."""
    choose = random.Random(seed)
    definition, detector = Definition(), native.RaceDetector()
    live, names = [], {}
    for site in range(60):
        action = choose.choice(["fork", "join", "forget", *["release", "acquire", "access"] * 4])
        if not live or (action == "fork" and len(live) < 6):
            parent = choose.choice([None, *live])
            thread = site
            names[thread] = detector.fork(None if parent is None else names[parent], task=thread)
            assert names[thread] not in [names[other] for other in live]
            definition.fork(parent, thread)
            live.append(thread)
            continue
        thread = choose.choice(live)
        if action == "join":
            live.remove(thread)
            detector.join(names[thread])
        elif action in ("release", "acquire"):
            semaphore = choose.choice([100, 108])
            getattr(detector, action)(names[thread], semaphore)
            getattr(definition, action)(thread, semaphore)
        elif action == "forget":
            begin, size = choose.choice([(100, 4), (100, 16), (3, 30)])
            detector.forget(begin, size)
            definition.forget(begin, size)
        elif action == "access":
            begin, size = choose.randrange(60), choose.randrange(1, 6)
            kind = choose.choices([READ, WRITE, ATOMIC], [6, 2, 1])[0]
            detector.access(names[thread], begin, size, kind, site)
            definition.access(thread, begin, size, kind, site)
            if (detector.race is not None) != (definition.race is not None):
                return f"seed {seed}: {detector.race} at {site}"
            if detector.race is not None:
                (first, task, first_kind), second = detector.race
                known = [access for access in definition.accesses if access[0] == first]
                if second != (site, thread, kind) or known[0][1] != first_kind or task not in names:
                    return f"seed {seed}: {detector.race}"
                return "race"
    return "none"


outcomes = [compare(seed) for seed in range(4000)]
# CHECK: as defined: True True []
print(
    "as defined:",
    outcomes.count("race") > 500,
    outcomes.count("none") > 500,
    [text for text in outcomes if text not in ("race", "none")],
)

# A number comes back to the copies of a task that waits for each.
detector = native.RaceDetector()
task = detector.fork(None, 0)
numbers = set()
for step in range(100):
    copy = detector.fork(task, 0)
    numbers.add(copy)
    detector.access(copy, 0, 64, WRITE, step)
    detector.release(copy, 100)
    detector.join(copy)
    detector.acquire(task, 100)
    detector.access(task, 0, 64, READ, step)
# CHECK: one number: 1 None
print("one number:", len(numbers), detector.race)

# Rows of blocks that many tasks read and one writes: the cost of a run does not grow with who was there before.
detector = native.RaceDetector()
start = time.perf_counter()
for number in range(64):
    task = detector.fork(None, number)
    for row in range(512):
        detector.access(task, 1 << 20 | row * 4096, 512, READ, 0)
        detector.access(task, 1 << 30 | (row * 64 + number) * 512, 512, WRITE, 1)
print(f"{64 * 512 * 1024 / (time.perf_counter() - start) / 1e6:.0f} MB/s")
# CHECK: rows: None
print("rows:", detector.race)
