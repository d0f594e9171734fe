// RUN: gridir-opt %s --split-input-file --gpu-approximate-math --verify-diagnostics | FileCheck %s
// RUN: gridir-opt %s --split-input-file --gpu-approximate-math=approx --verify-diagnostics | FileCheck %s --check-prefix=APPROX
// RUN: not gridir-opt %s --split-input-file --gpu-approximate-math=approx -mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS

// STATS: (S) 1 num-replaced
// STATS: (S) 2 num-replaced

// The polynomial has no call and no math op that is no instruction.
// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: llvm.call_intrinsic "llvm.fma.f32"
// CHECK: return
// APPROX-LABEL: func.func @exponential
// APPROX: %[[X:.+]] = arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
// APPROX: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
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

// An extremum is an instruction that keeps NaN.
// CHECK-LABEL: func.func @extremum
// CHECK: %[[MAX:.+]] = llvm.intr.maximum(%{{.+}}, %{{.+}}) : (f32, f32) -> f32
// CHECK: llvm.intr.minimum(%[[MAX]], %{{.+}}) : (f32, f32) -> f32
func.func @extremum(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  %1 = arith.minimumf %0, %y : f32
  return %1 : f32
}

// -----

// Rounding once is what the author may allow, and only of f32.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: contract
// APPROX-LABEL: func.func @rounded
// APPROX: arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
// APPROX: arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// APPROX: arith.addf %{{.+}}, %{{.+}} fastmath<nnan,contract> : f32
// APPROX: arith.mulf %{{.+}}, %{{.+}} : f64
func.func @rounded(%x: f32, %y: f64) -> (f32, f64) {
  %0 = arith.mulf %x, %x : f32
  %1 = arith.subf %0, %x : f32
  %2 = arith.addf %1, %0 fastmath<nnan> : f32
  %3 = arith.mulf %y, %y : f64
  return %2, %3 : f32, f64
}

// -----

// A quotient of f32 is a product with a reciprocal that others may share; those of a polynomial stay what they are.
// CHECK-LABEL: func.func @quotients
// CHECK: arith.divf %{{.+}}, %{{.+}} : f32
// CHECK-NOT: afn
// APPROX-LABEL: func.func @quotients
// APPROX: %[[RECIPROCAL:.+]] = arith.divf %{{.+}}, %{{.+}} fastmath<afn> : f32
// APPROX: arith.mulf %{{.+}}, %[[RECIPROCAL]] fastmath<contract> : f32
// APPROX: arith.divf %{{.+}}, %{{.+}} : f64
// APPROX-NOT: afn
func.func @quotients(%x: f32, %y: f32, %z: f64) -> (f32, f64, f32) {
  %0 = arith.divf %x, %y : f32
  %1 = arith.divf %z, %z : f64
  %2 = math.log1p %x : f32
  return %0, %1, %2 : f32, f64, f32
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
  // expected-error @below {{expected libdevice for 'math.sin' of 'f32', which has no expansion on a GPU; set a CUDA toolkit, or install gridir[gpu]}}
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

// Each function by its instruction, in both widths; an inverse root has none that is rounded.
// CHECK-LABEL: func.func @instructions
// CHECK-SAME: %[[X:.+]]: f32, %[[Y:.+]]: f64
// CHECK: %[[ONE:.+]] = arith.constant 1.0{{.*}} : f64
// CHECK: llvm.call_intrinsic "llvm.fabs.f64"(%[[Y]])
// CHECK: llvm.call_intrinsic "llvm.ceil.f32"(%[[X]])
// CHECK: llvm.call_intrinsic "llvm.copysign.f32"(%[[X]], %{{.+}})
// CHECK: llvm.call_intrinsic "llvm.floor.f32"
// CHECK: llvm.call_intrinsic "llvm.round.f32"
// CHECK: llvm.call_intrinsic "llvm.roundeven.f32"
// CHECK: llvm.call_intrinsic "llvm.trunc.f32"
// CHECK: %[[ROOT:.+]] = llvm.call_intrinsic "llvm.sqrt.f64"
// CHECK: arith.divf %[[ONE]], %[[ROOT]]
// CHECK: llvm.call_intrinsic "llvm.cttz.i32"(%{{.+}}, %{{.+}})
// CHECK: llvm.call_intrinsic "llvm.abs.i32"(%{{.+}}, %{{.+}})
func.func @instructions(%x: f32, %y: f64, %n: i32) -> (f32, f64, i32) {
  %0 = math.absf %y : f64
  %1 = math.ceil %x : f32
  %2 = math.copysign %x, %1 : f32
  %3 = math.floor %2 : f32
  %4 = math.round %3 : f32
  %5 = math.roundeven %4 : f32
  %6 = math.trunc %5 : f32
  %7 = math.rsqrt %0 : f64
  %8 = math.cttz %n : i32
  %9 = math.absi %8 : i32
  return %6, %7, %9 : f32, f64, i32
}

// -----

// A vector has none of them: both patterns say what they have, expected f32 or f64 and expected an integer.
// CHECK-LABEL: func.func @vector_root
// CHECK: math.sqrt %{{.+}} : vector<4xf32>
func.func @vector_root(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.sqrt %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @vector_count(%n: vector<4xi32>) -> vector<4xi32> {
  // expected-error @below {{expected libdevice for 'math.ctpop' of 'vector<4xi32>'}}
  %0 = math.ctpop %n : vector<4xi32>
  return %0 : vector<4xi32>
}

// -----

// A double has no approximation, since the instruction is for f32.
func.func @double(%x: f64) -> f64 {
  // expected-error @below {{expected libdevice for 'math.exp' of 'f64'}}
  %0 = math.exp %x : f64
  return %0 : f64
}

// -----

// A vector is left alone: the root is of a scalar.
// CHECK-LABEL: func.func @vector_of_roots
// CHECK: math.rsqrt %{{.*}} : vector<4xf32>
// APPROX-LABEL: func.func @vector_of_roots
// APPROX: math.rsqrt %{{.*}} : vector<4xf32>
func.func @vector_of_roots(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.rsqrt %x : vector<4xf32>
  return %0 : vector<4xf32>
}
