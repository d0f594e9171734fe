// RUN: gridir-opt %s --split-input-file --verify-diagnostics --cpu-check-contract | FileCheck %s
// RUN: not gridir-opt %s --split-input-file --cpu-check-contract 2>/dev/null | FileCheck %s --check-prefix=KEPT

// What breaks the contract goes no further.
// KEPT:     llvm.func @k(
// KEPT-NOT: module

// CHECK-LABEL: llvm.func @k(
module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  llvm.func @sinhf(f32) -> f32
  llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k.range(%x: !llvm.ptr) -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
}

// -----

module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  // expected-error @+1 {{expected only ops of the 'llvm' dialect after the lowering, got 'func.func'}}
  func.func @k() {
    return
  }
}

// -----

module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  // expected-error @+1 {{expected every copy to be lowered to loops, got a call of the runner library's @memrefCopy}}
  llvm.func @memrefCopy(i64, !llvm.ptr, !llvm.ptr)
}

// -----

// expected-error @+1 {{expected the module to name its kernel in 'gridir.kernel'}}
module {
}

// -----

// expected-error @+1 {{expected the module to give the size of the kernel's arena in 'gridir.arena_bytes'}}
module attributes {gridir.kernel = "k"} {
}

// -----

// expected-error @+1 {{expected a function @k with a body}}
module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
}

// -----

// The arena is missing.
module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  // expected-error @+1 {{expected @k to have type '!llvm.func<void (ptr, i64, i64, ptr)>', got '!llvm.func<void (ptr, ptr, i64, i64)>'}}
  llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64) {
    llvm.return
  }
  llvm.func @k.range(%x: !llvm.ptr) -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
}

// -----

module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  // expected-error @+1 {{expected @k.range to have type '!llvm.func<i64 (ptr)>', got '!llvm.func<i64 ()>'}}
  llvm.func @k.range() -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
}

// -----

// The function of its range has no body.
// expected-error @+1 {{expected a function @k.range with a body}}
module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k.range(!llvm.ptr) -> i64
}

// -----

// A kernel without operands has four arguments, and one of three is none.
module attributes {gridir.kernel = "k", gridir.arena_bytes = 0 : i64} {
  // expected-error @+1 {{expected @k to have type '!llvm.func<void (ptr, i64, i64, ptr)>', got '!llvm.func<void (i64, i64, ptr)>'}}
  llvm.func @k(%lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k.range() -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
}
