# RUN: %python %s %S/../../cli/Inputs/negate.mlir | FileCheck %s
"""A record is run by the pipeline of its target, or by the passes that it has, which know of no checks."""

import dataclasses
import pathlib
import sys

import numpy as np
from gridir.compiler.targets import CPU
from gridir.errors import OptionError
from gridir.frontend.recording.module_records import ModuleFile, records_of
from gridir.frontend.recording.replay import run
from refusals import report

(record,) = records_of(ModuleFile(pathlib.Path(sys.argv[1]).read_bytes()))
with_passes = dataclasses.replace(record, passes=CPU.pipeline(CPU.options(), "llvm"))

# CHECK: negated: True True True
runs = run(record), run(record, checks=["races"]), run(with_passes)
print("negated:", *(np.array_equal(result, -record.operands[0]) for (result,), _ in runs))

WORDS = "expected no checks, since the record fixes the passes of its module"
# CHECK-NEXT: OptionError: 1 of 1 refused in these words
report(OptionError, {WORDS: lambda: run(with_passes, checks=["races"])})
# CHECK-NEXT: OptionError: 1 of 1 refused in these words
report(OptionError, {WORDS: lambda: run(with_passes, schedule_seed=1)})
