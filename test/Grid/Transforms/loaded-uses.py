# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is loaded counts as used at the end of a chain of ops, and where the chain is too long to be followed."""

# RUN: %python %s > %t.mlir
# RUN: gridir-opt %t.mlir --grid-check='checks=initialized' | FileCheck %s

# CHECK-LABEL: grid.kernel @unused
# CHECK: subject = "s_ref", verdict = "proved"
# CHECK-LABEL: grid.kernel @short
# CHECK: subject = "s_ref", verdict = "refuted"
# CHECK-LABEL: grid.kernel @long
# CHECK: subject = "s_ref", verdict = "refuted"
for name, count in (("unused", 0), ("short", 3), ("long", 300)):
    print(f'grid.kernel @{name} grid() outputs(%o: f32 []) scratch(%s: memref<f32> origin "s_ref") {{')
    print("  %v0 = grid.load %s : memref<f32> -> f32")
    for i in range(count):
        print(f"  %v{i + 1} = arith.negf %v{i} : f32")
    if count:
        print(f"  grid.store %v{count}, %o : f32, memref<f32, #grid.space<default>>")
    print("}")
