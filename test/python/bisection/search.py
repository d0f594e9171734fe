# RUN: %python %s | FileCheck %s

# What a search is made of, beside the runs: lists of passes, passes that stand for others, and whom a stage clears.

import dataclasses

from gridir.bisection.changes import first_change
from gridir.bisection.route import Route, align, stages_around
from gridir.bisection.search import WRONG, Outcome, Verdict, clear, narrow
from gridir.compiler.pass_list import name_of, passes_of
from gridir.compiler.passes import parse_module, to_bytecode
from gridir.compiler.targets import CPU, GPU, TPU
from gridir.errors import CompileError

# CHECK: ['cse', 'func.func(cpu-plan-arena)', 'func.func(cse)', 'grid.kernel(cse)']
nested = "cse,func.func(cpu-tile-body{vector-bytes=32},cse),grid.kernel(cse)"
passes = passes_of(nested)
print([text if "{" not in text else "func.func(cpu-plan-arena)" for text in passes])
# CHECK: ['cse', 'cpu-tile-body', 'cse', 'cse'] True
print([name_of(text) for text in passes], passes_of(",".join(passes)) == passes)
try:
    passes_of("cse,no-such-pass")
except CompileError as error:
    # CHECK: 'no-such-pass' does not refer to a registered pass
    print(error.message)

# One that is new stands for none; one that replaces another stands for it.
# CHECK: [0, 1, 1, 2, 3]
print(align(("a", "new", "b", "c"), ("a", "b", "c")))
# CHECK: [0, 1, 2, 3]
print(align(("a", "other", "c"), ("a", "b", "c")))
# CHECK: [0, 1, 3]
print(align(("a", "c"), ("a", "b", "c")))

# Passes with which another stage begins and is right are no suspects; where none would be left, they stay.
route = Route("ptx", "", ("a", "b", "c", "d"), GPU, None)
mapped = Route("mapped", "", ("a", "b", "x"), CPU, None)
verdict = Verdict(route, Outcome(WRONG), suspects=(1, 2, 4), doubt="all are needed")
# CHECK: (4,) mapped None
cleared = clear(verdict, [mapped])
print(cleared.suspects, cleared.cleared, cleared.culprit)
# CHECK: (1, 2)
print(clear(Verdict(route, Outcome(WRONG), suspects=(1, 2), doubt="all are needed"), [mapped]).suspects)

# One that is named and belongs to a stage which is right may only show what a later one does.
named = Verdict(route, Outcome(WRONG), suspects=(2,), needed=(1, 4))
# CHECK: (2, 4) None the first pass after which it is wrong is part of stage mapped, too, which is right
shown = clear(named, [mapped])
print(shown.suspects, shown.culprit, shown.doubt)
# CHECK: b
print(clear(dataclasses.replace(named, needed=(1, 2)), [mapped]).culprit)

# Other targets leave out what they do as well and are right with, and what they do not do and are wrong without.
right = Route("tpu", "", ("a", "x"), TPU, None)
wrong = Route("llvm", "", ("b{option=1}", "y"), CPU, None)
# CHECK: (2, 4) ('tpu at stage tpu is right',)
verdict = Verdict(route, Outcome(WRONG), suspects=(1, 2, 4), doubt="all are needed")
narrowed = narrow(verdict, [right], [])
print(narrowed.suspects, narrowed.compared)
# CHECK: (2,) None
narrowed = narrow(verdict, [right], [wrong])
print(narrowed.suspects, narrowed.culprit)
# CHECK: (1, 2, 4) (2,)
print(narrow(verdict, [], []).suspects, narrow(named, [right], [wrong]).suspects)

# Where a pass lies between stages, the target says.
passes = passes_of(CPU.pipeline(CPU.options(), "llvm"))
number = 1 + [name_of(text) for text in passes].index("one-shot-bufferize")
# CHECK: ('loops', 'bufferized') None
whole = Route("llvm", "", passes, CPU, CPU.options())
print(stages_around(whole, number), stages_around(dataclasses.replace(whole, passes=passes[1:]), number))

# The first op that differs is the one that computes something else itself, and not what uses it.
before = (
    "func.func @f(%x: f32, %y: f32) -> f32 {{ %0 = arith.{}f %x, %y : f32\n %1 = math.exp %0 : f32\n return %1 : f32 }}"
)
sides = [to_bytecode(parse_module(before.format(op))) for op in ("add", "sub")]
change = first_change(*sides)
# CHECK: arith.addf arith.subf 3 3
print(change.before.name, change.after.name, change.removed, change.added)
