// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(test-miscompile{slip=wrong-sign})' | FileCheck %s --check-prefix=SIGN
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(test-miscompile{slip=wrong-sign skip=4})' | FileCheck %s --check-prefix=SKIP
// RUN: gridir-opt %s --split-input-file --pass-pipeline='builtin.module(test-miscompile{slip=wrong-sign mutated=canonicalize})' | FileCheck %s --check-prefix=MUTATED
// RUN: not gridir-opt %s --split-input-file --pass-pipeline='builtin.module(test-miscompile{slip=lost-barrier})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gridir-opt %s --split-input-file --pass-pipeline='builtin.module(test-miscompile{slip=nothing})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// One op is wrong, the first of those that can be; the pass may do another one's work before.

// SIGN-LABEL: func.func @add(
// SIGN: arith.subf
// SIGN: arith.mulf
// SKIP-LABEL: func.func @add(
// SKIP: arith.addf
// SKIP: arith.addf
// MUTATED-LABEL: func.func @add(
// MUTATED-NOT: arith.constant
// MUTATED: arith.subf
// NONE: error: expected an op for the fault 'lost-barrier', got none
// UNKNOWN: error: expected a known fault, got 'nothing'
func.func @add(%x: f32, %y: f32) -> f32 {
  %c = arith.constant 1.0 : f32
  %0 = arith.addf %x, %y : f32
  %1 = arith.mulf %0, %c : f32
  %2 = arith.subf %1, %y : f32
  return %2 : f32
}
