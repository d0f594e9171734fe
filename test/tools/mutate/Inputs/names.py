# Prints the own tests of some sources, out of a list that has tests of the same name elsewhere.

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "tools" / "mutate"))
from suite import own_tests

SOURCES = {
    "dialects/CPU/Transforms/PlanArena.cpp": "#define GEN_PASS_DEF_CPUPLANARENAPASS",
    "python/gridir/frontend/rules/casts.py": "",
    "dialects/Conversion/ToTPU/Dot.cpp": "",
    "dialects/Grid/Analysis/Hazards.cpp": "",
}
TESTS = [
    "CPU/Transforms/cpu-plan-arena.mlir",
    "GPU/Transforms/plan-arena.mlir",
    "python/frontend/casts.py",
    "python/frontend/control.py",
    "Conversion/ToLoops/dot.mlir",
    "Conversion/ToTPU/ops.mlir",
    "Conversion/ToTPU/invalid.mlir",
    "Grid/IR/ops.mlir",
]

with tempfile.TemporaryDirectory() as repository:
    for name, text in SOURCES.items():
        path = pathlib.Path(repository, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"{path.name}: {' '.join(own_tests(pathlib.Path(repository), name, TESTS))}")
