// RUN: gridir-opt %s --split-input-file --gpu-approximate-math --verify-diagnostics | FileCheck %s
// RUN: gridir-opt %s --split-input-file --gpu-approximate-math=approx --verify-diagnostics | FileCheck %s --check-prefix=APPROX

// The polynomial has no call and no math op that is no instruction.
// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: llvm.call_intrinsic "llvm.fma.f32"
// CHECK: return
// APPROX-LABEL: func.func @exponential
// APPROX: %[[X:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// APPROX: llvm.call_intrinsic "llvm.exp2.f32"(%[[X]])
func.func @exponential(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Narrow floats are computed in f32 and rounded once.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: arith.truncf %{{.+}} : f32 to bf16
func.func @narrow(%x: bf16) -> bf16 {
  %0 = math.tanh %x : bf16
  return %0 : bf16
}

// -----

// An instruction is called as one, whatever the conversion to nvvm does with it.
// CHECK-LABEL: func.func @root
// CHECK: llvm.call_intrinsic "llvm.sqrt.f32"
func.func @root(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  return %0 : f32
}

// -----

// Bits are counted by an instruction, with libdevice, too.
// CHECK-LABEL: func.func @bits
// CHECK: llvm.call_intrinsic "llvm.ctpop.i8"
// CHECK: llvm.call_intrinsic "llvm.ctlz.i8"(%{{.+}}, %{{.+}})
func.func @bits(%x: i8) -> i8 {
  %0 = math.ctpop %x : i8
  %1 = math.ctlz %0 : i8
  return %1 : i8
}

// -----

func.func @sine(%x: f32) -> f32 {
  // expected-error @below {{expected libdevice to compute 'math.sin' of 'f32', which has no code of its own on a GPU; give a CUDA toolkit, or install gridir[gpu]}}
  %0 = math.sin %x : f32
  return %0 : f32
}
