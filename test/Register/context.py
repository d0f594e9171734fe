# RUN: %python %s | FileCheck %s

# Every new context of the Python bindings knows the dialects, without a registration by hand.
from gridir.mlir import ir
from gridir.mlir.passmanager import PassManager

with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse("func.func @f(%x: i32) -> i32 { %y = arith.addi %x, %x : i32 return %y : i32 }")
    PassManager.parse("builtin.module(convert-to-llvm)").run(module.operation)
    # CHECK: llvm.func @f
    print(module)
