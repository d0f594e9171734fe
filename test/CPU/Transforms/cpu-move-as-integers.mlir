// All that is only moved is i16; what computes with bf16 has casts around it.
//
// RUN: gridir-opt %s --cpu-move-as-integers | FileCheck %s
// RUN: gridir-opt %s --cpu-move-as-integers --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS

// STATS: num-moves

// CHECK-LABEL: llvm.func @moved(
// CHECK: %[[V:.*]] = llvm.load {{.*}} -> vector<8xi16>
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(dense<16256> : vector<8xi16>) : vector<8xi16>
// CHECK: llvm.br ^[[NEXT:.*]](%[[V]] : vector<8xi16>)
// CHECK: ^[[NEXT]](%[[W:.*]]: vector<8xi16>):
// CHECK: %[[S:.*]] = llvm.insertelement %[[ONE]], %[[W]]{{.*}} : vector<8xi16>
// CHECK: %[[T:.*]] = llvm.shufflevector %[[S]], %[[ALL]] {{.*}} : vector<8xi16>
// CHECK: llvm.store %[[T]], {{.*}} : vector<8xi16>
// CHECK-NOT: bf16
llvm.func @moved(%x: !llvm.ptr, %y: !llvm.ptr, %i: i64) {
  %v = llvm.load %x : !llvm.ptr -> vector<8xbf16>
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %all = llvm.mlir.constant(dense<1.0> : vector<8xbf16>) : vector<8xbf16>
  llvm.br ^bb1(%v : vector<8xbf16>)
^bb1(%w: vector<8xbf16>):
  %s = llvm.insertelement %one, %w[%i : i64] : vector<8xbf16>
  %t = llvm.shufflevector %s, %all [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xbf16>
  llvm.store %t, %y : vector<8xbf16>, !llvm.ptr
  llvm.return
}

// The casts by which arithmetic looks at the bits are gone.
// CHECK-LABEL: llvm.func @bits(
// CHECK: %[[V:.*]] = llvm.load {{.*}} -> i16
// CHECK-NEXT: %[[W:.*]] = llvm.add %[[V]], %[[V]] : i16
// CHECK-NEXT: llvm.store %[[W]]
llvm.func @bits(%x: !llvm.ptr) {
  %v = llvm.load %x : !llvm.ptr -> bf16
  %b = llvm.bitcast %v : bf16 to i16
  %c = llvm.add %b, %b : i16
  %w = llvm.bitcast %c : i16 to bf16
  llvm.store %w, %x : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @computed(
// CHECK-SAME: %[[P:[a-z0-9]+]]: bf16
// CHECK: %[[Q:.*]] = llvm.bitcast %[[P]] : bf16 to i16
// CHECK: %[[V:.*]] = llvm.load {{.*}} -> i16
// CHECK: %[[F:.*]] = llvm.bitcast %[[V]] : i16 to bf16
// CHECK: %[[G:.*]] = llvm.bitcast %[[Q]] : i16 to bf16
// CHECK: %[[SUM:.*]] = llvm.fadd %[[F]], %[[G]] : bf16
// CHECK: %[[R:.*]] = llvm.bitcast %[[SUM]] : bf16 to i16
// CHECK: llvm.store %[[R]], {{.*}} : i16
llvm.func @computed(%p: bf16, %x: !llvm.ptr) {
  %v = llvm.load %x : !llvm.ptr -> bf16
  %sum = llvm.fadd %v, %p : bf16
  llvm.store %sum, %x : bf16, !llvm.ptr
  llvm.return
}

// A constant without known bits, such as an external one, keeps its type.
// CHECK-LABEL: llvm.func @resource(
// CHECK: llvm.mlir.constant(dense_resource<numbers> : vector<4xbf16>) : vector<4xbf16>
llvm.func @resource(%p: !llvm.ptr) {
  %0 = llvm.mlir.constant(dense_resource<numbers> : vector<4xbf16>) : vector<4xbf16>
  llvm.store %0, %p : vector<4xbf16>, !llvm.ptr
  llvm.return
}
