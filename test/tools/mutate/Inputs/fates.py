# Takes a mutant through runs of some levels each, and prints what is left to run, and the table.

import dataclasses
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "tools" / "mutate"))
from fates import Fate, Row, count, read, read_table, table
from suite import LEVELS


def left(fate):
    """What a run of all levels would still do, plainly and again."""
    plain, again = (" ".join(fate.unmet(LEVELS, again)) or "none" for again in (False, True))
    return f"unmet {plain}, again {again}"


survivor = Fate("survivor", "a/b.cpp").after(["own"], True)
print("survived own:", left(survivor))
by_unit = survivor.after([], True, "unit", "other.mlir")
print("killed by unit:", left(by_unit))
print("killed by own:", left(by_unit.after([], True, "own", "b.mlir")))
print("survived again: killed by", by_unit.after(["own"], True).level)

fates = [
    dataclasses.replace(survivor, key="first"),
    dataclasses.replace(by_unit, key="first"),
    Fate("second", "a/b.cpp").after([], True, "own", "b.mlir"),
    Fate("third", "a/b.cpp").after(LEVELS, True),
    Fate("same", "a/b.cpp").after(LEVELS, True),
]
with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as results:
    results.writelines(json.dumps(dataclasses.asdict(fate)) + "\n" for fate in fates)
    results.flush()
    rows = count(read(pathlib.Path(results.name)), {"same": "writes what is there"})
print(table(rows))
known = read_table(table({**rows, "b": Row(2, 0, (0, 1, 1))}))
print(table(known | {"a": Row(1, 0, (1, 1, 1))}))
