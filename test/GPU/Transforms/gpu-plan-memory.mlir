// RUN: gridir-opt %s --split-input-file --gpu-plan-memory=chip=sm_80 | FileCheck %s
// RUN: not gridir-opt %s --split-input-file --gpu-plan-memory=workspace-limit=100000 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not gridir-opt %s --split-input-file --gpu-plan-memory=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP

// The small buffer lies in shared memory; the large one has no room there.
// CHECK: kernel.abi @k shared_bytes = 64 workspace_bytes = 262144
// CHECK: scf.forall
// CHECK: %[[SHARED:.+]] = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
// CHECK: %[[BYTES:.+]] = memref.memory_space_cast %[[SHARED]]
// CHECK: memref.view %[[BYTES]]{{.*}} to memref<8xf32>
// CHECK: %[[WORK:.+]] = memref.alloc() : memref<262144xi8>
// CHECK: memref.view %[[WORK]]{{.*}} to memref<65536xf32>
// LIMIT: error: expected a workspace of at most 100000 bytes, got 262144 for each of 1 CTAs; the largest buffer in it is this 'memref<65536xf32>' of 262144 bytes
// CHIP: error: expected a chip (sm_80, {{.*}}), got sm_12
module {
  kernel.abi @k
  func.func @k(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %small = memref.alloc() : memref<8xf32>
      %large = memref.alloc() : memref<65536xf32>
      linalg.fill ins(%zero : f32) outs(%large : memref<65536xf32>)
      linalg.fill ins(%zero : f32) outs(%small : memref<8xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// The memory of a Ref is known by its name.
// LIMIT: k.py:3:4: error: expected a workspace of at most 100000 bytes, got 262144 for each of 1 CTAs; the largest buffer in it is that of acc, a 'memref<65536xf32>' of 262144 bytes
module {
  kernel.abi @named
  func.func @named(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %large = memref.alloc() : memref<65536xf32> loc("acc"("kernel"("k.py":3:4)))
      linalg.fill ins(%zero : f32) outs(%large : memref<65536xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// As much as a CTA of the chip has lies in shared memory; 64 bytes more do not.
// CHECK: kernel.abi @all shared_bytes = 166912 workspace_bytes = 0
module {
  kernel.abi @all
  func.func @all(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %buffer = memref.alloc() : memref<41728xf32>
      linalg.fill ins(%zero : f32) outs(%buffer : memref<41728xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// CHECK: kernel.abi @more shared_bytes = 0 workspace_bytes = 166976
module {
  kernel.abi @more
  func.func @more(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %buffer = memref.alloc() : memref<41744xf32>
      linalg.fill ins(%zero : f32) outs(%buffer : memref<41744xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// An array without elements has an offset, too.
// CHECK-LABEL: func.func @empty
// CHECK: memref.alloc() : memref<1xi8, #gpu.address_space<workgroup>>
// CHECK: memref.view {{.*}} to memref<0xf32>
module {
  kernel.abi @empty
  func.func private @use(memref<0xf32>)
  func.func @empty(%status: memref<1xi64>, %lo: index, %hi: index) {
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %a = memref.alloc() : memref<0xf32>
      func.call @use(%a) : (memref<0xf32>) -> ()
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// Buffers that require shared memory come first, regardless of size: there is no room for the small buffer.
// CHECK: kernel.abi @required shared_bytes = 166912 workspace_bytes = 64
// CHECK: %[[MEMORY:.+]] = memref.alloc() : memref<166912xi8, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[MEMORY]]{{.*}} to memref<41728xf32, #gpu.address_space<workgroup>>
// CHECK: memref.view {{.*}} : memref<64xi8> to memref<8xf32>
module {
  kernel.abi @required
  func.func @required(%status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %large = memref.alloc() : memref<41728xf32, #gpu.address_space<workgroup>>
      %small = memref.alloc() : memref<8xf32>
      linalg.fill ins(%zero : f32) outs(%small : memref<8xf32>)
      linalg.fill ins(%zero : f32) outs(%large : memref<41728xf32, #gpu.address_space<workgroup>>)
      linalg.fill ins(%zero : f32) outs(%small : memref<8xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}

// -----

// A kernel that does nothing takes nothing.
// CHECK: kernel.abi @nothing shared_bytes = 0 workspace_bytes = 0
module {
  kernel.abi @nothing
  func.func @nothing(%status: memref<4xi64>, %lo: index, %hi: index) {
    return
  }
}

// -----

// Bufferization allocates all temporaries at once. They share memory where one is last read before another is first
// written: three buffers are never alive together, and take the memory of two.
// CHECK: kernel.abi @in_turn shared_bytes = 8192 workspace_bytes = 0
module {
  kernel.abi @in_turn
  func.func @in_turn(%out: memref<1024xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%item) = (%lo) to (%hi) step (1) {
      %a = memref.alloc() : memref<1024xf32>
      %b = memref.alloc() : memref<1024xf32>
      %c = memref.alloc() : memref<1024xf32>
      %view = memref.subview %c[0] [512] [1] : memref<1024xf32> to memref<512xf32, strided<[1]>>
      linalg.fill ins(%zero : f32) outs(%a : memref<1024xf32>)
      linalg.copy ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
      linalg.copy ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
      linalg.fill ins(%zero : f32) outs(%view : memref<512xf32, strided<[1]>>)
      linalg.copy ins(%c : memref<1024xf32>) outs(%out : memref<1024xf32>)
    } {mapping = [#gpu.block<x>]}
    return
  }
}
