# RUN: %python %s %repository | FileCheck %s
"""The steps that an op lacks: all of them for an op that nothing names, and those without a verifier or a tensor."""

import sys

sys.path.insert(0, f"{sys.argv[1]}/tools/lint")

import steps


def op(dialect, name, **fields):
    return {
        "name": f"Any_{name.title()}Op",
        "opName": name,
        "opDialect": {"def": f"{dialect}_Dialect"},
        "arguments": "AnyTensor:$source",
        "results": "",
        **fields,
    }


# CHECK: custom and generic form in test/Grid/IR/*
# CHECK-NEXT: a test of its diagnostics in test/Grid/IR/*invalid*
# CHECK-NEXT: a lowering in dialects/Conversion/GridToLoops/*
# CHECK: a model of its layouts in dialects/Warpgroup/Inference/*
# CHECK: a rule in python/gridir/frontend/rules/*
# CHECK: {{^}}end
for step in steps.lacking(op("Grid", "unnamed", hasVerifier=1, hasFolder=0)):
    print(step.what, "in", step.where)
print("end")

# CHECK-NEXT: without tensors: False
print("without tensors:", any("layouts" in step.what for step in steps.lacking(op("Grid", "unnamed", arguments=""))))

# CHECK-NEXT: []
print([step.what for step in steps.lacking(op("Grid", "load")) if "rule" in step.what])

# CHECK-NEXT: expected an op of gridir, got grid.unnamed
try:
    print(*steps.describe("grid.unnamed"))
except SystemExit as error:
    print(error)
