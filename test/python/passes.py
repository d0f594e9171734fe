# RUN: %python %s | FileCheck %s

# Properties that passes in Python share with those in C++, and the handling of their mistakes.
import os
import signal
import threading

import gridir
from gridir.compiler.passes import parse_module, run_pipeline
from gridir.mlir.dialects import arith

MODULE = """
func.func @f(%x: f32) -> f32 {
  %c = arith.constant 2.0 : f32
  %y = arith.mulf %x, %c : f32 loc("kernel.py":3:7)
  return %y : f32
}
"""


def attempt(pipeline):
    try:
        run_pipeline(parse_module(MODULE), pipeline)
        print(f"{pipeline}: ok", flush=True)
    except gridir.Error as error:
        print(f"{pipeline}: {type(error).__name__}: {error}\n  cause: {error.__cause__!r}", flush=True)


@gridir.passes.register("test-options", statistics={"num-runs": "Runs"})
def options(op, run, *, flag: bool = False, number: int = 8, ratio: float = 0.5, name: str = "a", only: tuple = (1, 2)):
    """Shows its options."""
    run.count("num-runs")
    print(flag, number, ratio, name, only)


# CHECK: False 8 0.5 a (1, 2)
# CHECK: True -1 2.0 b c (3,)
attempt("test-options")
attempt("test-options{flag=true number=-1 ratio=2 name={b c} only=3}")

# CHECK: expected a value like 8 for the option 'number' of 'test-options', got 'many'
# CHECK: expected true or false for the option 'flag' of 'test-options', got 'maybe'
# CHECK: no such option absent
attempt("test-options{number=many}")
attempt("test-options{flag=maybe}")
attempt("test-options{absent=1}")


@gridir.passes.register("test-error", op="func.func")
def error(op, run):
    mul = op.body.blocks[0].operations[1]
    run.warning(mul, "seen by nobody here")
    run.remark(mul.location, "nor this")
    run.error(mul, "expected no product, got one", (mul, "which is here"))
    assert run.failed


# CHECK: func.func(test-error): CompileError: expected no product, got one
# CHECK-NEXT: at kernel.py:3:7
# CHECK-NEXT: note: which is here (at kernel.py:3:7)
# CHECK-NEXT: cause: None
attempt("func.func(test-error)")


@gridir.passes.register("test-raise")
def fails(op, run):
    raise ValueError("what a pass says")


@gridir.passes.register_patterns("test-raise-in-pattern")
def fails_in_pattern(patterns, run):
    def match(op, rewriter):
        raise KeyError("absent")

    patterns.add("arith.mulf", match)


# CHECK: test-raise: CompileError: pass 'test-raise' raised ValueError: what a pass says
# CHECK: note: raised here (at {{.*}}passes.py:{{[0-9]+}}:5 (fails))
# CHECK-NEXT: cause: ValueError('what a pass says')
# CHECK: test-raise-in-pattern: CompileError: pass 'test-raise-in-pattern' raised KeyError: 'absent'
# CHECK-NEXT: at kernel.py:3:7
# CHECK: note: raised here (at {{.*}} (match))
# CHECK-NEXT: cause: KeyError('absent')
attempt("test-raise")
attempt("test-raise-in-pattern")


@gridir.passes.register("test-assertion", op="func.func")
def asserts(op, run):
    op.body.blocks[0].operations[0].operation.erase()


# MLIR ends the process there; gridir does not let it, and goes on.
# CHECK: InternalError: the compiler crashed, called by a pass in Python: operation destroyed but still has uses in pass
# CHECK-SAME: 'test-assertion'
# CHECK: test-options: ok
attempt("func.func(test-assertion)")
attempt("test-options")


@gridir.passes.register_patterns("test-sum")
def to_sum(patterns, run, *, factor: float = 2.0):
    def match(op, rewriter):
        if op.rhs.owner.literal_value != factor:
            return "expected another factor"
        with rewriter.ip:
            rewriter.replace_op(op, arith.AddFOp(op.lhs, op.lhs))
        return None

    patterns.add(arith.MulFOp, match)


# A new op has the location of the op for which it is created.
# CHECK: arith.addf {{.*}} kernel.py:3:7
# CHECK: arith.mulf
print(run_pipeline(parse_module(MODULE), "test-sum").operation.get_asm(enable_debug_info=True, pretty_debug_info=True))
print(run_pipeline(parse_module(MODULE), "test-sum{factor=3}"))

# Names and options that cannot stand in a pipeline, and names that C++ has.
for name, function in {
    "Not A Name": lambda op, run: None,
    "cse": lambda op, run: None,
    "grid-to-cpu": lambda op, run: None,
    "test-default": lambda op, run, *, limit=None: None,
    "test-no-function": 3,
}.items():
    # CHECK: expected the name of a pass, as fold-scales, got 'Not A Name'
    # CHECK: expected a new name of a pass or pipeline, got 'cse'
    # CHECK: expected a new name of a pass or pipeline, got 'grid-to-cpu'
    # CHECK: expected a default of type bool, int, float, str or tuple of these for 'limit' of the pass 'test-default',
    # CHECK-SAME: got None
    # CHECK: expected a function for the pass 'test-no-function', got int
    try:
        gridir.passes.register(name)(function)
    except gridir.OptionError as refused:
        print(refused)

for name in ("absent.py", "absent"):
    # CHECK: expected a Python file or module with passes, got 'absent.py'
    # CHECK: expected a Python file or module with passes, got 'absent'
    try:
        gridir.passes.load(name)
    except gridir.OptionError as refused:
        print(refused)


# A pass that is registered again is another one, and kernels that it made have another key.
@gridir.passes.register("test-options")
def again(op, run):
    print("the second one")


# CHECK: the second one
# CHECK: versions: 1 0
attempt("test-options")
versions = gridir.passes.versions
print("versions:", len(versions("cse,test-options{a=b}")), len(versions("cse")))


@gridir.passes.register("test-forever")
def forever(op, run):
    while True:
        pass


# A shell may start what is not in the foreground with Ctrl-C ignored.
# CHECK: interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    run_pipeline(parse_module(MODULE), "test-forever")
except KeyboardInterrupt:
    print("interrupted")
