# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes take time in proportion to a kernel, also to one that JAX unrolled into thousands of accesses."""

# RUN: %python %s > %t.mlir
# RUN: %python -c "import subprocess, sys; subprocess.run(sys.argv[1:], check=True, timeout=30)" \
# RUN:   gridir-opt %t.mlir -o %t.out.mlir --grid-specialize --grid-canonicalize-index-maps \
# RUN:   --grid-infer-dimension-semantics --grid-legalize-blocks --grid-plan-memory
# RUN: FileCheck %s --input-file=%t.out.mlir

# CHECK: grid.kernel @unrolled
# CHECK: semantics [parallel, arbitrary]

COUNT = 2000

print(f"""
grid.kernel @unrolled grid(%i = 16, %k = 4)
    inputs(%x: f32 [16, {COUNT}, 8] block [squeezed, {COUNT}, 8] at (%i, 0, 0))
    outputs(%o: f32 [16, {COUNT}, 8] block [squeezed, {COUNT}, 8] at (%i, 0, 0))
    scratch(%t: memref<{COUNT}x8xf32>) {{
  %c0 = arith.constant 0 : i32
  %id = grid.program_id 1
  %first = arith.cmpi eq, %id, %c0 : i32
  scf.if %first {{
    %zero = arith.constant dense<0.0> : tensor<{COUNT}x8xf32>
    grid.store %zero, %t : tensor<{COUNT}x8xf32>, memref<{COUNT}x8xf32>
  }}""")
for row in range(COUNT):
    block = f"memref<{COUNT}x8xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>"
    print(f"""
  %x{row} = grid.slice_ref %x[{row}, 0] [1, 8] [1, 1] drop [0] : {block}
  %o{row} = grid.slice_ref %o[{row}, 0] [1, 8] [1, 1] drop [0] : {block}
  %t{row} = grid.slice_ref %t[{row}, 0] [1, 8] [1, 1] drop [0] : memref<{COUNT}x8xf32> -> memref<8xf32>
  %v{row} = grid.load %x{row} : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %s{row} = grid.load %t{row} : memref<8xf32> -> tensor<8xf32>
  %w{row} = arith.addf %v{row}, %s{row} : tensor<8xf32>
  grid.store %w{row}, %t{row} : tensor<8xf32>, memref<8xf32>
  grid.store %w{row}, %o{row} : tensor<8xf32>, memref<8xf32, #grid.space<default>>""")
print("}")
