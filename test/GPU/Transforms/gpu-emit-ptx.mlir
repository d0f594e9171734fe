// RUN: gridir-opt %s --gpu-emit-ptx | FileCheck %s
// RUN: gridir-opt %s --gpu-emit-ptx --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS

// STATISTICS: 2 num-shared

// A loop that waits for the next iteration's data compares once whether there is one, whichever of the neighboring
// numbers each branch compares, and in which direction.
// CHECK: gpu.binary @waits
// CHECK-SAME: setp.{{eq|ne}}.b32 \09%[[LAST:[a-z0-9]+]],
// CHECK-SAME: mov.pred \09%{{[a-z0-9]+}}, %[[LAST]];
// CHECK-NOT: setp
// CHECK-SAME: ret;
gpu.module @waits [#nvvm.target<O = 0, chip = "sm_90a", features = "+ptx81">] {
  llvm.func @waits(%step: i32, %begin: i32) attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %end = llvm.mlir.constant(32 : i32) : i32
    llvm.br ^loop(%begin : i32)
  ^loop(%i: i32):
    llvm.inline_asm has_side_effects "product $0;", "r" %i : (i32) -> ()
    %is_last = llvm.icmp "eq" %i, %last : i32
    llvm.cond_br %is_last, ^latch, ^wait
  ^wait:
    llvm.inline_asm has_side_effects "mbarrier.wait $0;", "r" %i : (i32) -> ()
    llvm.br ^latch
  ^latch:
    llvm.inline_asm has_side_effects "release $0;", "r" %i : (i32) -> ()
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "ne" %next, %end : i32
    llvm.cond_br %more, ^loop(%next : i32), ^exit
  ^exit:
    llvm.return
  }
}

// Of a number that is no constant, too.
// CHECK: gpu.binary @counts
// CHECK-SAME: setp.{{eq|ne}}.b32 \09%[[LAST:[a-z0-9]+]],
// CHECK-SAME: mov.pred \09%{{[a-z0-9]+}}, %[[LAST]];
// CHECK-NOT: setp
// CHECK-SAME: ret;
gpu.module @counts [#nvvm.target<O = 0, chip = "sm_90a", features = "+ptx81">] {
  llvm.func @counts(%count: i32) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    llvm.inline_asm has_side_effects "product $0;", "r" %i : (i32) -> ()
    %next = llvm.add %i, %one : i32
    %is_last = llvm.icmp "eq" %next, %count : i32
    llvm.cond_br %is_last, ^latch, ^wait
  ^wait:
    llvm.inline_asm has_side_effects "mbarrier.wait $0;", "r" %i : (i32) -> ()
    llvm.br ^latch
  ^latch:
    llvm.inline_asm has_side_effects "release $0;", "r" %i : (i32) -> ()
    %more = llvm.icmp "ne" %next, %count : i32
    llvm.cond_br %more, ^loop(%next : i32), ^exit
  ^exit:
    llvm.return
  }
}

// Comparisons of another number are kept, and so is a comparison without an earlier equal one.
// CHECK: gpu.binary @others
// CHECK-SAME: setp
// CHECK-SAME: setp
// CHECK-SAME: ret;
gpu.module @others [#nvvm.target<O = 0, chip = "sm_90a", features = "+ptx81">] {
  llvm.func @others(%count: i32) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    llvm.inline_asm has_side_effects "product $0;", "r" %i : (i32) -> ()
    %next = llvm.add %i, %one : i32
    %is_first = llvm.icmp "eq" %i, %zero : i32
    llvm.cond_br %is_first, ^wait, ^latch
  ^wait:
    llvm.inline_asm has_side_effects "mbarrier.wait $0;", "r" %i : (i32) -> ()
    llvm.br ^latch
  ^latch:
    llvm.inline_asm has_side_effects "release $0;", "r" %i : (i32) -> ()
    %more = llvm.icmp "ne" %next, %count : i32
    llvm.cond_br %more, ^loop(%next : i32), ^exit
  ^exit:
    llvm.return
  }
}
