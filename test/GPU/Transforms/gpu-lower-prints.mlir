// RUN: gridir-opt %s --split-input-file --gpu-lower-prints --verify-diagnostics | FileCheck %s

// Texts are printed around the elements of each value.
// CHECK-LABEL: func.func @k
// CHECK: gpu.printf "100%% of "
// CHECK: %[[X:.+]] = memref.load %{{.+}}[] : memref<i32>
// CHECK: %[[WIDE:.+]] = arith.extsi %[[X]] : i32 to i64
// CHECK: gpu.printf "%lld", %[[WIDE]] : i64
// CHECK: gpu.printf " {"
// CHECK: gpu.printf "["
// CHECK: scf.for
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<4xf32>
// CHECK: gpu.printf "%.3f", %{{.+}} : f64
// CHECK: gpu.printf "]"
// CHECK: gpu.printf "}"
// CHECK: gpu.printf "\0A"
// CHECK-NOT: func.call
module {
  kernel.abi @k prints = [#kernel.print<"100% of {} {{{:.3f}}}"(i32, tensor<4xf32>)>]
  func.func private @gridirPrintBegin(i64)
  func.func private @gridirPrintValue(!llvm.ptr, i64)
  func.func private @gridirPrintEnd()
  func.func @k(%x: memref<i32>, %y: memref<4xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    %0 = memref.extract_aligned_pointer_as_index %x : memref<i32> -> index
    %1 = arith.index_cast %0 : index to i64
    %2 = llvm.inttoptr %1 : i64 to !llvm.ptr
    func.call @gridirPrintValue(%2, %one) : (!llvm.ptr, i64) -> ()
    %3 = memref.extract_aligned_pointer_as_index %y : memref<4xf32> -> index
    %4 = arith.index_cast %3 : index to i64
    %5 = llvm.inttoptr %4 : i64 to !llvm.ptr
    func.call @gridirPrintValue(%5, %one) : (!llvm.ptr, i64) -> ()
    func.call @gridirPrintEnd() : () -> ()
    return
  }
}

// -----

module {
  kernel.abi @k
  func.func private @gridirPrintBegin(i64)
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    // expected-error @below {{expected the number of a site in prints of the kernel.abi}}
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    return
  }
}

// -----

// One placeholder, and two values.
module {
  kernel.abi @k prints = [#kernel.print<"{}"(i32)>]
  func.func private @gridirPrintBegin(i64)
  func.func private @gridirPrintValue(!llvm.ptr, i64)
  func.func @k(%x: memref<i32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    %0 = memref.extract_aligned_pointer_as_index %x : memref<i32> -> index
    %1 = arith.index_cast %0 : index to i64
    %2 = llvm.inttoptr %1 : i64 to !llvm.ptr
    func.call @gridirPrintValue(%2, %site) : (!llvm.ptr, i64) -> ()
    // expected-error @below {{expected the address of a buffer to print}}
    func.call @gridirPrintValue(%2, %site) : (!llvm.ptr, i64) -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.print<"{}"(i32)>]
  func.func private @gridirPrintBegin(i64)
  func.func private @gridirPrintValue(!llvm.ptr, i64)
  func.func @k(%x: !llvm.ptr, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    // expected-error @below {{expected the address of a buffer to print}}
    func.call @gridirPrintValue(%x, %site) : (!llvm.ptr, i64) -> ()
    return
  }
}

// -----

// The number of a site is one less than their count at most.
module {
  kernel.abi @k prints = [#kernel.print<"x">]
  func.func private @gridirPrintBegin(i64)
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 1 : i64
    // expected-error @below {{expected the number of a site in prints of the kernel.abi}}
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.callback<"id", "a callback">]
  func.func private @gridirPrintBegin(i64)
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    // expected-error @below {{expected a site that prints, got #kernel.callback<"id", "a callback">}}
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.print<"{}">]
  func.func private @gridirPrintBegin(i64)
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    // expected-error @below {{expected a type for each of 1 values, got}}
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.print<"{}"(f32)>]
  func.func private @gridirPrintBegin(i64)
  func.func private @gridirPrintValue(!llvm.ptr)
  func.func @k(%x: memref<*xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    func.call @gridirPrintBegin(%site) : (i64) -> ()
    %address = memref.extract_aligned_pointer_as_index %x : memref<*xf32> -> index
    %number = arith.index_cast %address : index to i64
    %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
    // expected-error @below {{expected the address of a buffer to print}}
    func.call @gridirPrintValue(%pointer) : (!llvm.ptr) -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.print<"">]
  func.func private @gridirPrintBegin()
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    // expected-error @below {{expected the number of a site in prints of the kernel.abi}}
    func.call @gridirPrintBegin() : () -> ()
    return
  }
}

// -----

module {
  kernel.abi @k prints = [#kernel.print<"">]
  func.func private @gridirPrintBegin(i64) -> i64
  func.func @k(%o: memref<i64>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %site = arith.constant 0 : i64
    // expected-error @below {{expected a print without results, got 'i64'}}
    %0 = func.call @gridirPrintBegin(%site) : (i64) -> i64
    memref.store %0, %o[] : memref<i64>
    return
  }
}
