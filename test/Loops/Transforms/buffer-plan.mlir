// RUN: gridir-opt %s --split-input-file --cpu-plan-arena | FileCheck %s

// Two buffers that are not used at the same time share bytes.
// CHECK-LABEL: kernel.abi @shared arena_bytes = 64
module {
  kernel.abi @shared
  func.func @shared() {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %a = memref.alloca() : memref<8xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    %b = memref.alloca() : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    return
  }
}

// -----

// Others may use a marked buffer after its last use here,
// CHECK-LABEL: kernel.abi @after arena_bytes = 128
module {
  kernel.abi @after tasks = <>
  func.func @after(%status: memref<4xi64>) {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %a = memref.alloca() {kernel.buffer = #kernel.buffer<>} : memref<8xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    %b = memref.alloca() : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    return
  }
}

// -----

// and before its first one.
// CHECK-LABEL: kernel.abi @before arena_bytes = 128
module {
  kernel.abi @before tasks = <>
  func.func @before(%status: memref<4xi64>) {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %a = memref.alloca() : memref<8xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    %b = memref.alloca() {kernel.buffer = #kernel.buffer<>} : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    return
  }
}

// -----

// A buffer that is alive after an earlier one ended takes the room of that one.
// CHECK-LABEL: kernel.abi @gap arena_bytes = 128
module {
  kernel.abi @gap
  func.func @gap() {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i64
    %a = memref.alloca() : memref<8xi64>
    %b = memref.alloca() : memref<8xi64>
    memref.store %x, %a[%c0] : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    %c = memref.alloca() : memref<8xi64>
    memref.store %x, %c[%c0] : memref<8xi64>
    memref.store %x, %b[%c0] : memref<8xi64>
    return
  }
}
