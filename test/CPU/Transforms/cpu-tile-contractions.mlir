// RUN: gridir-opt %s --cpu-tile-contractions --split-input-file | FileCheck %s
// RUN: gridir-opt %s --cpu-tile-contractions="vector-bytes=64 vector-registers=32" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: gridir-opt %s --cpu-tile-contractions="vector-bytes=64 vector-registers=32 dot-products=vdpbf16ps,vpdpbusd,vpdpwssd" --cse --split-input-file | FileCheck %s --check-prefix=DOT
// RUN: gridir-opt %s --cpu-tile-contractions="vector-bytes=64 vector-registers=32 dot-products=tdpbf16ps,tdpbssd,vpdpbusd" --cse --split-input-file | FileCheck %s --check-prefix=TILE
// RUN: gridir-opt %s --cpu-tile-contractions=dot-products=pmaddwd --cse --split-input-file | FileCheck %s --check-prefix=MADD
// RUN: not gridir-opt %s --cpu-tile-contractions=dot-products=vpdpbusd,fma --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expected a dot-product instruction, got 'fma'

// 20 rows are two tiles of 6 and two of 4: two rows alone would wait for their additions. A panel is two registers wide, or four of the wide ones.
// The first tile copies the panel, and the others read the copy.
// CHECK-LABEL: func.func @matmul
// CHECK:         %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<64x16xf32>
// CHECK:         scf.for
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             %[[Y:.*]] = memref.subview %{{.*}}[%[[K]], 0] [1, 16] [1, 1] : memref<64x16xf32, strided<[64, 1], offset: ?>>
// CHECK:             linalg.contract {{.*}} ins({{.*}} : memref<6x1xf32, {{.*}}>, memref<1x16xf32, strided<[64, 1], offset: ?>>) outs({{.*}} : memref<6x16xf32
// CHECK:             %[[COPY:.*]] = memref.subview %[[PANEL]][%[[K]], 0] [1, 16]
// CHECK:             linalg.generic {{.*}} ins(%[[Y]] : {{.*}}) outs(%[[COPY]] :
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             memref.subview %[[PANEL]][%[[K]], 0] [1, 16]
// CHECK:             linalg.contract {{.*}} outs({{.*}} : memref<6x16xf32
// CHECK-NOT:         linalg.generic
// CHECK:           scf.for
// CHECK:             scf.for %[[K:.*]] =
// CHECK:               memref.subview %[[PANEL]][%[[K]], 0] [1, 16]
// CHECK:               linalg.contract {{.*}} outs({{.*}} : memref<4x16xf32
// CHECK-NOT:     memref<2x16xf32
// WIDE-LABEL: func.func @matmul
// WIDE:         linalg.contract {{.*}} outs({{.*}} : memref<6x64xf32
func.func @matmul(%a: memref<20x64xf32>, %b: memref<64x64xf32>, %c: memref<20x64xf32>) {
  linalg.matmul ins(%a, %b : memref<20x64xf32>, memref<64x64xf32>) outs(%c : memref<20x64xf32>)
  return
}

// -----

// Narrow types are widened in the panels, and rounded once at the end.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG:     memref.alloca() {{.*}} : memref<6x64xf32>
// CHECK-DAG:     memref.alloca() {{.*}} : memref<64x16xf32>
// CHECK:         arith.extf
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x16xf32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%a: memref<6x64xbf16>, %b: memref<64x16xbf16>, %c: memref<6x16xbf16>) {
  linalg.matmul ins(%a, %b : memref<6x64xbf16>, memref<64x16xbf16>) outs(%c : memref<6x16xbf16>)
  return
}

// -----

// 11 columns are a panel of 8, and 3 padded with zeros.
// CHECK-LABEL: func.func @columns
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
// CHECK:         linalg.fill
// CHECK:         memref.subview %{{.*}}[0, 0] [6, 3] [1, 1]
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
func.func @columns(%a: memref<6x4xf32>, %b: memref<4x11xf32>, %c: memref<6x11xf32>) {
  linalg.matmul ins(%a, %b : memref<6x4xf32>, memref<4x11xf32>) outs(%c : memref<6x11xf32>)
  return
}

// -----

#mk = affine_map<(b, m, n, k) -> (b, m, k)>
#nk = affine_map<(b, m, n, k) -> (b, n, k)>
#mn = affine_map<(b, m, n, k) -> (b, m, n)>

// One loop for the batch; the transposed right operand is packed however few rows use it.
// CHECK-LABEL: func.func @batch
// CHECK:         scf.for
// CHECK:           memref.subview %{{.*}} [1, 4, 8] [1, 1, 1] : memref<3x4x8xf32> to memref<4x8xf32
// CHECK:           linalg.generic
// CHECK:           linalg.contract {{.*}} outs({{.*}} : memref<4x16xf32
func.func @batch(%a: memref<3x4x8xf32>, %b: memref<3x16x8xf32>, %c: memref<3x4x16xf32>) {
  linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : memref<3x4x8xf32>, memref<3x16x8xf32>) outs(%c : memref<3x4x16xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Few columns are reductions where both operands lie along k, for registers of every width; else they are padded.
// CHECK-LABEL: func.func @few_columns
// CHECK:         linalg.contract indexing_maps = {{.*}} outs(%{{.*}} : memref<6x3xf32>
// CHECK:         linalg.contract {{.*}} outs({{.*}} : memref<6x8xf32
// WIDE-LABEL: func.func @few_columns
// WIDE:         linalg.contract indexing_maps = {{.*}} outs(%{{.*}} : memref<6x3xf32>
// WIDE:         linalg.contract {{.*}} outs({{.*}} : memref<6x16xf32
func.func @few_columns(%a: memref<6x64xf32>, %b: memref<3x64xf32>, %t: memref<64x3xf32>, %c: memref<6x3xf32>, %d: memref<6x3xf32>) {
  linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : memref<6x64xf32>, memref<3x64xf32>) outs(%c : memref<6x3xf32>)
  linalg.matmul ins(%a, %t : memref<6x64xf32>, memref<64x3xf32>) outs(%d : memref<6x3xf32>)
  return
}

// -----

// A single column is a reduction along k, not a contraction.
// CHECK-LABEL: func.func @column
// CHECK-NOT:     scf.for
// CHECK:         linalg.matmul
func.func @column(%a: memref<64x64xf32>, %b: memref<64x1xf32>, %c: memref<64x1xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x1xf32>) outs(%c : memref<64x1xf32>)
  return
}

// -----

// Products of bf16 are added from the last step to the first, whether by an instruction that adds the second of two
// first or one by one. The left operand is read where it is.
// CHECK-DAG:   #[[$LAST:.*]] = affine_map<(d0) -> (-d0 + 43)>
// CHECK-LABEL: func.func @bf16
// CHECK:         scf.for
// CHECK:           scf.for %[[K:[a-z0-9]+]] =
// CHECK:             affine.apply #[[$LAST]](%[[K]])
// CHECK:             linalg.contract
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               linalg.contract
// DOT-DAG:     #[[$WORD:.*]] = affine_map<(d0) -> (-d0 + 21)>
// DOT-DAG:     #[[$FIRST:.*]] = affine_map<(d0) -> (d0 * -2 + 42)>
// DOT-LABEL:   func.func @bf16
// DOT-SAME:      %[[A:.*]]: memref<12x300xbf16>
// DOT-DAG:       %[[REST:.*]] = memref.alloca() {{.*}} : memref<22x64xi32>
// DOT-DAG:       %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<128x64xi32>
// DOT:           %[[TAIL:.*]] = memref.subview %[[A]][0, 256] [12, 44]
// DOT:           vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// DOT:           vector.store {{.*}}, %[[REST]]
// DOT:           scf.for
// DOT:             %{{.*}}:24 = scf.for %[[K:[a-z0-9]+]] =
// DOT-DAG:           %[[W:.*]] = affine.apply #[[$WORD]](%[[K]])
// DOT-DAG:           %[[F:.*]] = affine.apply #[[$FIRST]](%[[K]])
// DOT:               %[[ROW:.*]] = vector.load %[[REST]][%[[W]], %{{.*}}] : memref<22x64xi32>, vector<16xi32>
// DOT:               %[[Y:.*]] = vector.bitcast %[[ROW]] : vector<16xi32> to vector<32xbf16>
// DOT:               vector.transfer_read %[[TAIL]][%{{.*}}, %[[F]]]
// DOT:               vector.broadcast {{.*}} : vector<1xi32> to vector<16xi32>
// DOT:               %[[X:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<32xbf16>
// DOT:               llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[X]], %[[Y]])
// DOT:           vector.store {{.*}}, %[[PANEL]]
func.func @bf16(%a: memref<12x300xbf16>, %b: memref<300x64xbf16>, %c: memref<12x64xf32>) {
  linalg.matmul ins(%a, %b : memref<12x300xbf16>, memref<300x64xbf16>) outs(%c : memref<12x64xf32>)
  return
}

// -----

// Tiles need no padding where rows, steps and columns come by whole ones: the left operand and the result are used where
// they are, and the steps go forwards. Two by two tiles add up over a panel of words.
// TILE-LABEL: func.func @whole_tiles
// TILE-SAME:    %[[A:.*]]: memref<48x64xbf16>, %{{.*}}: memref<64x48xbf16>, %[[C:.*]]: memref<48x48xf32>)
// TILE-NOT:     linalg.
// TILE:         %[[REST:.*]] = memref.alloca() {{.*}} : memref<32x16xi32>
// TILE:         %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<32x32xi32>
// TILE:         %[[RESULT:.*]] = memref.subview %[[C]][0, 0] [48, 32]
// TILE:         %[[LEFT:.*]] = memref.subview %[[A]][0, 0] [48, 64]
// TILE:         vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// TILE:         vector.store {{.*}}, %[[PANEL]]
// TILE-COUNT-4: amx.tile_load %[[RESULT]]{{.*}} into !amx.tile<16x16xf32>
// TILE:         %{{.*}}:4 = scf.for %[[WORD:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:[a-z0-9]+]] =
// TILE-COUNT-2:   amx.tile_load %[[PANEL]][%[[WORD]], %{{.*}}] : memref<32x32xi32> into !amx.tile<16x32xbf16>
// TILE:           %[[X:.*]] = amx.tile_load %[[LEFT]]{{.*}} into !amx.tile<16x32xbf16>
// TILE:           amx.tile_mulf %[[X]], %{{.*}}, %[[SUM]] :
// TILE-COUNT-3:   amx.tile_mulf
// TILE:           scf.yield
// TILE-COUNT-4: amx.tile_store %[[RESULT]]
// The last 16 rows are one tile high, the last 16 columns one wide.
// TILE:         %{{.*}}:2 = scf.for
// TILE:         vector.store {{.*}}, %[[REST]]
func.func @whole_tiles(%a: memref<48x64xbf16>, %b: memref<64x48xbf16>, %c: memref<48x48xf32>) {
  linalg.matmul ins(%a, %b : memref<48x64xbf16>, memref<64x48xbf16>) outs(%c : memref<48x48xf32>)
  return
}

// -----

// Operands and result are padded to whole tiles with zeros. Bytes have a sign or none on either side.
// TILE-LABEL: func.func @part_of_tiles
// TILE-DAG:     memref.alloca() {{.*}} : memref<16x64xi8>
// TILE-DAG:     %[[RIGHT:.*]] = memref.alloca() {{.*}} : memref<64x16xi8>
// TILE-DAG:     memref.alloca() {{.*}} : memref<16x16xi32>
// TILE:         linalg.fill ins(%{{.*}}) outs(%[[RIGHT]] :
// TILE:         memref.subview %[[RIGHT]][0, 0] [7, 11]
// TILE:         amx.tile_muli %{{.*}} zext, %{{.*}} zext, %{{.*}} : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
func.func @part_of_tiles(%a: memref<5x7xi8>, %b: memref<7x11xi8>, %c: memref<5x11xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : memref<5x7xi8>, memref<7x11xi8>) outs(%c : memref<5x11xi32>)
  return
}

// -----

// A tile is stored by rows: a result whose columns lie apart is copied.
// TILE-LABEL: func.func @strided_result
// TILE:         %[[RESULT:.*]] = memref.alloca() {{.*}} : memref<16x16xf32>
// TILE:         amx.tile_store %[[RESULT]]
func.func @strided_result(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32, strided<[32, 2]>>) {
  linalg.matmul ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32, strided<[32, 2]>>)
  return
}

// -----

// An odd number of steps has no words.
// DOT-LABEL: func.func @odd
// DOT-NOT:     llvm.call_intrinsic
// DOT:         linalg.contract
func.func @odd(%a: memref<6x7xbf16>, %b: memref<7x64xbf16>, %c: memref<6x64xf32>) {
  linalg.matmul ins(%a, %b : memref<6x7xbf16>, memref<7x64xbf16>) outs(%c : memref<6x64xf32>)
  return
}

// -----

// Where both sides have a sign, 128 is added to the left one, and its product with each column subtracted.
// DOT-LABEL: func.func @signed
// DOT:         %[[EXCESS:.*]] = memref.alloca() {{.*}} : memref<1x64xi32>
// DOT:         %[[BIAS:.*]] = arith.constant -128 : i8
// DOT:         arith.xori %{{.*}}, %[[BIAS]] : i8
// DOT:         %[[ALL:.*]] = arith.constant dense<-128> : vector<64xi8>
// DOT:         %{{.*}}:4 = scf.for
// DOT:           vector.interleave {{.*}} : vector<32xi8> -> vector<64xi8>
// DOT:           %[[Y:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<64xi8>
// DOT:           llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[ALL]], %[[Y]])
// DOT:         vector.store %{{.*}}, %[[EXCESS]]
// DOT:         %[[E:.*]] = vector.load %[[EXCESS]]
// DOT:         arith.subi %{{.*}}, %[[E]] : vector<16xi32>
// DOT:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// MADD-LABEL: func.func @signed
// MADD:         arith.extsi {{.*}} : vector<8xi8> to vector<8xi16>
// MADD:         vector.interleave {{.*}} : vector<8xi16> -> vector<16xi16>
// MADD:         %[[SUM:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%{{.*}}, %{{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// MADD:         arith.addi %{{.*}}, %[[SUM]] : vector<8xi32>
// TILE-LABEL: func.func @signed
// TILE-NOT:     arith.xori
// TILE:         amx.tile_muli %{{[0-9]+}}, %{{[0-9]+}}, %{{[a-z0-9]+}} :
func.func @signed(%a: memref<6x64xi8>, %b: memref<64x64xi8>, %c: memref<6x64xi32>) {
  linalg.matmul ins(%a, %b : memref<6x64xi8>, memref<64x64xi8>) outs(%c : memref<6x64xi32>)
  return
}

// -----

// Without signs there are 16 bits; and so are there where steps do not come by fours.
// DOT-LABEL: func.func @unsigned
// DOT:         arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// DOT:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"
// DOT-LABEL: func.func @pairs
// DOT:         arith.extsi {{.*}} : vector<16xi8> to vector<16xi16>
// DOT:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"
func.func @unsigned(%a: memref<6x64xi8>, %b: memref<64x64xi8>, %c: memref<6x64xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : memref<6x64xi8>, memref<64x64xi8>) outs(%c : memref<6x64xi32>)
  return
}
func.func @pairs(%a: memref<6x6xi8>, %b: memref<6x64xi8>, %c: memref<6x64xi32>) {
  linalg.matmul ins(%a, %b : memref<6x6xi8>, memref<6x64xi8>) outs(%c : memref<6x64xi32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The operand without a sign is the first of the instruction, on whichever side it is.
// DOT-LABEL: func.func @mixed
// DOT-NOT:     arith.xori
// DOT:         %[[Y:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<64xi8>
// DOT:         vector.broadcast
// DOT:         %[[X:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<64xi8>
// DOT:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[Y]], %[[X]])
// TILE-LABEL: func.func @mixed
// TILE:         amx.tile_muli %{{[0-9]+}}, %{{[0-9]+}} zext, %{{[a-z0-9]+}} :
func.func @mixed(%a: memref<6x64xi8>, %b: memref<64x64xi8>, %c: memref<6x64xi32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<6x64xi8>, memref<64x64xi8>) outs(%c : memref<6x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// -----

// Numbers without a width are left as they are.
// CHECK-LABEL: func.func @indices
// CHECK-NEXT: linalg.generic
func.func @indices(%a: memref<20x16xindex>, %b: memref<16x32xindex>, %c: memref<20x32xindex>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x16xindex>, memref<16x32xindex>) outs(%c : memref<20x32xindex>) {
  ^bb0(%x: index, %y: index, %z: index):
    %0 = arith.muli %x, %y : index
    %1 = arith.addi %z, %0 : index
    linalg.yield %1 : index
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// How floats become integers is for the body to say.
// CHECK-LABEL: func.func @floats_as_integers
// CHECK-NOT:     scf.for
// CHECK:         arith.fptosi
func.func @floats_as_integers(%a: memref<6x64xbf16>, %b: memref<64x64xbf16>, %c: memref<6x64xi32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<6x64xbf16>, memref<64x64xbf16>) outs(%c : memref<6x64xi32>) {
  ^bb0(%x: bf16, %y: bf16, %z: i32):
    %0 = arith.fptosi %x : bf16 to i32
    %1 = arith.fptosi %y : bf16 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
