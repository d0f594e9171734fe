// RUN: gridir-opt --show-dialects | FileCheck %s

// The tools know the dialects that a person who lowers to a CPU or a GPU expects.
// CHECK: Available Dialects:
// CHECK-SAME: arith
// CHECK-SAME: gpu
// CHECK-SAME: linalg
// CHECK-SAME: llvm
