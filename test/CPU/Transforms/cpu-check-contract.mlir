// RUN: gridir-opt %s --split-input-file --verify-diagnostics --cpu-check-contract | FileCheck %s
// RUN: not gridir-opt %s --split-input-file --cpu-check-contract 2>/dev/null | FileCheck %s --check-prefix=KEPT

// A violation of the contract is an error.
// KEPT:     llvm.func @k(
// KEPT-NOT: module

// CHECK-LABEL: llvm.func @k(
module {
  kernel.abi @k arena_bytes = 0
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

module {
  kernel.abi @k arena_bytes = 0
  // expected-error @+1 {{expected only ops of the 'llvm' dialect after the lowering, got 'func.func'}}
  func.func @k() {
    return
  }
}

// -----

module {
  kernel.abi @k arena_bytes = 0
  // expected-error @+1 {{expected every copy to be lowered to loops, got a call of the runner library's @memrefCopy}}
  llvm.func @memrefCopy(i64, !llvm.ptr, !llvm.ptr)
  llvm.func @k()
}

// -----

// expected-error @+1 {{expected a module with a kernel.abi}}
module {
}

// -----

module {
  // expected-error @+1 {{expected the size of the kernel's arena in arena_bytes; run cpu-plan-arena first}}
  kernel.abi @k
  llvm.func @k()
}

// -----

module {
  // expected-error @+1 {{expected a function @k with a body}}
  kernel.abi @k arena_bytes = 0
  llvm.func @k()
}

// -----

// The arena is missing.
module {
  kernel.abi @k arena_bytes = 0
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

module {
  kernel.abi @k arena_bytes = 0
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
module {
  // expected-error @+1 {{expected a function @k.range with a body}}
  kernel.abi @k arena_bytes = 0
  llvm.func @k(%x: !llvm.ptr, %status: !llvm.ptr, %lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k.range(!llvm.ptr) -> i64
}

// -----

// A kernel without operands has four arguments, and one of three is none.
module {
  kernel.abi @k arena_bytes = 0
  // expected-error @+1 {{expected @k to have type '!llvm.func<void (ptr, i64, i64, ptr)>', got '!llvm.func<void (i64, i64, ptr)>'}}
  llvm.func @k(%lo: i64, %hi: i64, %arena: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k.range() -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
}
