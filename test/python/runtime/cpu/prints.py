# RUN: %python %s | FileCheck %s

# Prints of a kernel reach Python's sys.stdout in order, after the call.
import contextlib
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import jax.numpy as jnp
from handwritten import call

PRINT = """
module {
  kernel.abi @k prints = [#kernel.print<"program {}: {}"(i32, tensor<2x2xf32>)>,
                          #kernel.print<"flag {} half {}"(i1, bf16)>]
  func.func private @gridirPrintBegin(i64)
  func.func private @gridirPrintValue(!llvm.ptr, i64)
  func.func private @gridirPrintEnd()
  func.func @k(%n: memref<i32>, %x: memref<2x2xf32>, %flag: memref<i8>, %half: memref<bf16>, %y: memref<i32>,
               %status: memref<4xi64>, %lo: index, %hi: index) {
    %site0 = arith.constant 0 : i64
    %site1 = arith.constant 1 : i64
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    %pn = builtin.unrealized_conversion_cast %n : memref<i32> to !llvm.struct<(ptr, ptr, i64)>
    %an = llvm.extractvalue %pn[1] : !llvm.struct<(ptr, ptr, i64)>
    %px = builtin.unrealized_conversion_cast %x
        : memref<2x2xf32> to !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %ax = llvm.extractvalue %px[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %pf = builtin.unrealized_conversion_cast %flag : memref<i8> to !llvm.struct<(ptr, ptr, i64)>
    %af = llvm.extractvalue %pf[1] : !llvm.struct<(ptr, ptr, i64)>
    %ph = builtin.unrealized_conversion_cast %half : memref<bf16> to !llvm.struct<(ptr, ptr, i64)>
    %ah = llvm.extractvalue %ph[1] : !llvm.struct<(ptr, ptr, i64)>
    func.call @gridirPrintBegin(%site0) : (i64) -> ()
    func.call @gridirPrintValue(%an, %one) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintValue(%ax, %four) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintEnd() : () -> ()
    func.call @gridirPrintBegin(%site1) : (i64) -> ()
    func.call @gridirPrintValue(%af, %one) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintValue(%ah, %one) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintEnd() : () -> ()
    return
  }
  func.func @k.range(%n: memref<i32>, %x: memref<2x2xf32>, %flag: memref<i8>, %half: memref<bf16>,
                     %y: memref<i32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
}
"""
operands = (jnp.int32(7), jnp.arange(4.0).reshape(2, 2), jnp.bool_(True), jnp.bfloat16(0.5))
result = jax.ShapeDtypeStruct((), jnp.int32)
captured = io.StringIO()
with contextlib.redirect_stdout(captured):
    call(PRINT, result, *operands).block_until_ready()
# CHECK: program 7: {{\[\[}}0. 1.]
# CHECK-NEXT: [2. 3.]]
# CHECK-NEXT: flag True half 0.5
print(captured.getvalue(), end="")
