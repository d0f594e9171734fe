// RUN: gridir-opt %s --pass-pipeline="builtin.module(gpu.module(gpu-convert-arith))" | FileCheck %s

// An index has the width of the module's data layout. Ops that libdevice has, too, become instructions.
// CHECK-LABEL: gpu.module @narrow
// CHECK:         %[[SUM:.*]] = llvm.add %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    llvm.sext %[[SUM]] : i32 to i64
// CHECK:         llvm.frem %{{.*}} : f32
// CHECK:         llvm.intr.maxnum(%{{.*}}) : (f32, f32) -> f32
// CHECK:         llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
gpu.module @narrow attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  llvm.func @f(%i: i32, %x: f32, %y: f32) -> f32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.addi %0, %0 : index
    %2 = arith.index_cast %1 : index to i64
    llvm.call @use(%2) : (i64) -> ()
    %3 = arith.remf %x, %y : f32
    %4 = arith.maxnumf %3, %y : f32
    %5 = math.sqrt %4 : f32
    llvm.return %5 : f32
  }
  llvm.func @use(i64)
}

// CHECK-LABEL: gpu.module @wide
// CHECK:         %[[WIDE:.*]] = llvm.sext %{{.*}} : i32 to i64
// CHECK-NEXT:    llvm.add %[[WIDE]], %[[WIDE]] : i64
gpu.module @wide {
  llvm.func @f(%i: i32) -> i64 {
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.addi %0, %0 : index
    %2 = arith.index_cast %1 : index to i64
    llvm.return %2 : i64
  }
}
