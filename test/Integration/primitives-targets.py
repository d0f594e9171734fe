# Every row of primitives.py compiles for a TPU and for a GPU, or is an error at the author's line.
#
# RUN: %python %s | FileCheck %s

import concurrent.futures
import multiprocessing
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(__file__))
import gridir
import primitives

TARGETS = ("tpu", "gpu")


def lower(rows: list[primitives.Row], target: str) -> None:
    """Lowers the rows in one kernel, to what a TPU or a GPU is given."""
    for kernel in gridir.lower(primitives.make_call(rows), *rows[0][3], target=target).kernels:
        kernel.prepare()


def judge(group: str, target: str) -> list[str]:
    """What becomes of the rows of a group: code, an error, or what should not be."""
    rows = [row for row in primitives.ROWS if row[0] == group]
    try:
        lower(rows, target)
        return ["code"] * len(rows)
    except Exception:
        return [judge_row(row, target) for row in rows]


def judge_row(row: primitives.Row, target: str) -> str:
    try:
        lower([row], target)
    except (gridir.CompileError, gridir.UnsupportedError) as error:
        if any(frame.file == primitives.__file__ for frame in error.frames):
            return "error"
        return f"{target}: {row[0]}: {row[1]}: an error of no line: {error}"
    except Exception as error:
        return f"{target}: {row[0]}: {row[1]}: {type(error).__name__}: {error}"
    return "code"


def main() -> None:
    groups = [g for g in dict.fromkeys(row[0] for row in primitives.ROWS) if not sys.argv[1:] or sys.argv[1] in g]
    fork = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=fork) as pool:
        for target in TARGETS:
            outcomes = [outcome for found in pool.map(judge, groups, [target] * len(groups)) for outcome in found]
            counts = Counter(outcome for outcome in outcomes if outcome in ("code", "error"))
            print(f"{target}: {counts['code']} rows in code, {counts['error']} in errors of their lines")
            print("\n".join(outcome for outcome in outcomes if outcome not in counts) or "no other outcome")


# CHECK: tpu: {{[0-9]+}} rows in code, {{[0-9]+}} in errors of their lines
# CHECK-NEXT: no other outcome
# CHECK-NEXT: gpu: {{[0-9]+}} rows in code, {{[0-9]+}} in errors of their lines
# CHECK-NEXT: no other outcome
if __name__ == "__main__":
    main()
