// A pass that there is not: the one that was meant is named.
//
// RUN: not gridir-opt %s --pass-pipeline='builtin.module(cse,func.func(cpu-til-body{vector-bytes=32}),grid-to-cpuu)' 2>&1 | FileCheck %s
// RUN: not gridir-opt %s --cpu-til-body 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not gridir-opt %s --pass-pipeline='builtin.module(nothing-like-it)' 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: 'cpu-til-body' does not refer to a registered pass
// CHECK-NOT: Did you mean 'cse'
// CHECK: gridir-opt: Did you mean 'cpu-tile-body'?
// CHECK-NEXT: gridir-opt: Did you mean 'grid-to-cpu'?
// OPTION: Did you mean '--cpu-tile-body'?
// NONE: 'nothing-like-it' does not refer to a registered pass
// NONE-NOT: Did you mean
func.func @f() {
  return
}
