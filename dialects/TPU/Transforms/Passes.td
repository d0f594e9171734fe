//===- Passes.td - Passes on Mosaic modules ---------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TPUCheckContractPass : Pass<"tpu-check-contract", "::mlir::ModuleOp"> {
  let summary = "Reject modules on which Mosaic aborts or that it silently "
                "accepts";
  let description = [{
    The kernel's windows are its blocks, with transforms that have bodies and
    the right types; its grid has programs; its memrefs are in a memory of a
    TPU. Accesses at constant indices are in bounds, and no loop is infinite.
    libtpu checks none of these: some end the process, others access adjacent
    memory.

    The module is not changed. This one is rejected, since its window is not its
    block:

    ```mlir
    module {
      func.func @k(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
          tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
          dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
          window_params = [{transform_indices = @t, window_bounds = array<i64: 16, 128>}
                          ]} {
        return
      }
      func.func @t(%i: i32) -> (i32, i32) {
        return %i, %i : i32, i32
      }
    }
    ```
  }];
}

def TPUExpandArithmeticPass : Pass<"tpu-expand-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "Expand arithmetic that Mosaic lacks";
  let description = [{
    Integers of at most 8 bits are added, multiplied and compared in 32 bits,
    and those of at most 16 bits are shifted, divided and counted there. With
    `narrow-integers`, those of 8 and 16 bits are shifted by a constant as they
    are. By other amounts libtpu widens them with their sign. A TensorCore
    shifts them so to the left and with their sign; an unsigned shift to the
    right, into which that sign would come, stays in 32 bits. Unsigned numbers
    are compared as signed ones with their first bit flipped. An extreme of at
    most 16 bits is a selection by the sign of a difference, or by a comparison
    with the number beside a constant; a selection that is one is expanded as
    one, since libtpu would match it; an unsigned one of 32 bits compares the
    numbers with their first bit flipped. Bools are compared by logic, and
    floats only by ordered predicates: a comparison that is true for NaN is the
    negation of one that is false. Only inequality is compared directly, with
    Mosaic's `one`, which is true for NaN. Rounding, remainders and logarithms
    of bf16 are computed in f32. Divisions that round to an infinity,
    `math.log2`, `math.expm1`, `math.copysign` and `math.fma` use other ops.
    Mosaic rejects all of these.

    Some results take fewer instructions in another form: a number of 8 bits is
    compared with a constant, and one of 16 bits or a bf16 with any other
    number, in the width in which the result is used; two signs are compared by
    their bits; the sign of a remainder of f32 is set by one comparison; and a
    number that is limited to a bound is compared with the bound itself.

    Before:

    ```mlir
    %s = arith.addi %a, %b : vector<32x128xi8>
    ```

    After:

    ```mlir
    %x = arith.extsi %a : vector<32x128xi8> to vector<32x128xi32>
    %y = arith.extsi %b : vector<32x128xi8> to vector<32x128xi32>
    %t = arith.addi %x, %y : vector<32x128xi32>
    %s = arith.trunci %t : vector<32x128xi32> to vector<32x128xi8>
    ```
  }];
  let options = [
    Option<"narrowIntegers", "narrow-integers", "bool", /*default=*/"false",
           "Shift integers of 8 and 16 bits by constants, compare unsigned ones of 16, and rotate rows of 16 bits by different amounts, as they are, which libtpu supports since 0.0.48">,
    Option<"narrowVectors", "narrow-vectors", "bool", /*default=*/"false",
           "Take signs, argmax and argmin of bf16, split vectors of 8 and 16 bits into columns, and rotate rows of 8 bits by different amounts, as they are, for chips since the v6e">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::gridir::tpu::TPUDialect", "::mlir::math::MathDialect"
  ];
}

def TPUExpandDivisionPass : Pass<"tpu-expand-division", "::mlir::func::FuncOp"> {
  let summary = "Divide vectors of integers by a reciprocal of f32";
  let description = [{
    A TPU has no instruction for quotients of vectors of integers, and libtpu
    divides bit by bit. Here a quotient of at most 16 bits is one product with
    the reciprocal of the divisor, rounded towards zero. In 32 bits the rest is
    divided once more, and a comparison corrects the sum by one. On a v5e a
    quotient of i32 takes 0.14 of the bundles.

    The results are exact if conversions, reciprocal and products together have
    a relative error of at most 2^-18, which is 64 roundings to f32.

    Guards for special divisors are dropped: the quotient by -1 is the negative,
    the remainder by -1 is 0, and that by 0 is the dividend. The guard of a
    quotient by 0 becomes a selection of the result in 32 bits.

    Divisions by constants of 32 bits and by powers of two, of numbers that are
    no vectors, and of kernels for SparseCores are left to libtpu. The unit for
    numbers also divides by 0 and -1 as JAX does: XLA compiles its own division,
    which is defined in the same way, without guards. A kernel therefore needs
    none, and the transforms of its windows keep theirs.

    Before:

    ```mlir
    %q = arith.divsi %x, %y : vector<16x128xi16>
    ```

    After:

    ```mlir
    %a = arith.extsi %x : vector<16x128xi16> to vector<16x128xi32>
    %b = arith.extsi %y : vector<16x128xi16> to vector<16x128xi32>
    %f = arith.sitofp %b : vector<16x128xi32> to vector<16x128xf32>
    %r = tpu.reciprocal %f {full_range = false} : vector<16x128xf32> -> vector<16x128xf32>
    %scale = arith.constant dense<1.00000381> : vector<16x128xf32>
    %s = arith.mulf %r, %scale : vector<16x128xf32>
    %g = arith.sitofp %a : vector<16x128xi32> to vector<16x128xf32>
    %p = arith.mulf %g, %s : vector<16x128xf32>
    %n = arith.fptosi %p : vector<16x128xf32> to vector<16x128xi32>
    %q = arith.trunci %n : vector<16x128xi32> to vector<16x128xi16>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::gridir::tpu::TPUDialect"
  ];
  let statistics = [
    Statistic<"numDivisions", "num-divisions", "Number of quotients and remainders expanded">,
    Statistic<"numGuards", "num-guards", "Number of divisions whose guards were dropped">
  ];
}

def TPUExpandMathPass : Pass<"tpu-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand math functions that Mosaic lacks";
  let description = [{
    `acos`, `asin` and `atan` use `math.atan2`; `sinh`, `cosh`, `asinh`,
    `acosh`, `atanh` and `cbrt` use exponentials and logarithms; `erfc` is one
    minus `math.erf` near zero, and an exponential times a polynomial elsewhere.
    Narrow floats are computed in f32. `tpu-expand-arithmetic` expands ops of
    the result that Mosaic lacks.

    Before:

    ```mlir
    %y = math.asin %x : vector<8x128xf32>
    ```

    After:

    ```mlir
    %one = arith.constant dense<1.0> : vector<8x128xf32>
    %a = arith.subf %one, %x : vector<8x128xf32>
    %b = arith.addf %x, %one : vector<8x128xf32>
    %c = arith.mulf %a, %b : vector<8x128xf32>
    %leg = math.sqrt %c : vector<8x128xf32>
    %y = math.atan2 %x, %leg : vector<8x128xf32>
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of functions expanded">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def TPUFitSparseCorePass : Pass<"tpu-fit-sparse-core", "::mlir::func::FuncOp"> {
  let summary = "Convert a SparseCore kernel to the form that its compiler "
                "requires";
  let description = [{
    The compiler for SparseCores requires an index map for every operand, also
    for arrays that stay in place. It indexes in one dimension, and has only
    scalar float constants. With `needs_layout_passes=False` a vector is a
    register: it has no leading unit dimensions in a load or store. A kernel for
    a TensorCore is not changed.

    Before:

    ```mlir
    func.func @k(%c: i32, %x: memref<4x8xf32, #tpu.memory_space<hbm>>, %m: memref<4x8xf32, #tpu.memory_space<vmem>>) attributes {
        tpu.core_type = #tpu.core_type<sc_vector_subcore>, iteration_bounds = array<i64: 2>,
        dimension_semantics = [#tpu.dimension_semantics<core_parallel>], scratch_operands = 1 : i64,
        window_params = [{} ], grid.without_layout_passes} {
      %zero = arith.constant 0 : index
      %v = vector.load %m[%zero, %zero] : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<1x8xf32>
      %w = vector.shape_cast %v : vector<1x8xf32> to vector<8xf32>
      %one = arith.constant dense<1.0> : vector<8xf32>
      %s = arith.addf %w, %one : vector<8xf32>
      %r = vector.shape_cast %s : vector<8xf32> to vector<1x8xf32>
      tpu.vector_store %m[%zero, %zero], %r {strides = array<i32>} : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<1x8xf32>,
      return
    }
    ```

    After:

    ```mlir
    func.func @k(%c: i32, %x: memref<4x8xf32, #tpu.memory_space<hbm>>, %m: memref<4x8xf32, #tpu.memory_space<vmem>>) attributes {
        tpu.core_type = #tpu.core_type<sc_vector_subcore>, iteration_bounds = array<i64: 2>,
        dimension_semantics = [#tpu.dimension_semantics<core_parallel>], scratch_operands = 1 : i64,
        window_params = [{transform_indices = affine_map<(d0) -> (0, 0)>} ]} {
      %zero = arith.constant 0 : index
      %w = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>,
      %number = arith.constant 1.0 : f32
      %one = vector.broadcast %number : f32 to vector<8xf32>
      %s = arith.addf %w, %one : vector<8xf32>
      tpu.vector_store %m[%zero, %zero], %s {strides = array<i32>} : memref<4x8xf32, #tpu.memory_space<vmem>>, vector<8xf32>,
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten", "Number of ops converted">
  ];
}

def TPULowerLogisticPass : Pass<"tpu-lower-logistic", "::mlir::func::FuncOp"> {
  let summary = "Compute the logistic function without a division";
  let description = [{
    The hyperbolic tangent is one instruction, a division several: on a v5e,
    `1 / (1 + exp(-x))` is three times slower than `0.5 * tanh(0.5 * x) + 0.5`,
    which is also finite for every `x`. Chips since the v6e have a unit for the
    logistic function, which `use-unit` selects for f32 and bf16. A sum remains of
    two products and a sum: on a v6e, SwiGLU of f32 takes 0.7 of the bundles. On
    earlier chips Mosaic expands the op of the unit to the division.

    Before:

    ```mlir
    %n = arith.negf %x : vector<8x128xf32>
    %e = math.exp %n : vector<8x128xf32>
    %one = arith.constant dense<1.0> : vector<8x128xf32>
    %s = arith.addf %e, %one : vector<8x128xf32>
    %y = arith.divf %one, %s : vector<8x128xf32>
    ```

    After:

    ```mlir
    %half = arith.constant dense<0.5> : vector<8x128xf32>
    %h = arith.mulf %x, %half : vector<8x128xf32>
    %t = math.tanh %h : vector<8x128xf32>
    %u = arith.mulf %t, %half : vector<8x128xf32>
    %y = arith.addf %u, %half : vector<8x128xf32>
    ```
  }];
  let options = [
    Option<"useUnit", "use-unit", "bool", /*default=*/"false",
           "Use the unit for the logistic function, which chips since the v6e have">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::gridir::tpu::TPUDialect"];
  let statistics = [
    Statistic<"numTanhs", "num-tanhs", "Number of logistic functions computed with tanh">,
    Statistic<"numUnits", "num-units", "Number of logistic functions computed with their unit">
  ];
}

def TPUMatchInstructionsPass : Pass<"tpu-match-instructions", "::mlir::func::FuncOp"> {
  let summary = "Drop guards that an instruction already implements";
  let description = [{
    libtpu's conversion of a float to an integer saturates, and converts NaN to
    0; guards for these cases are dropped. Unsigned 32-bit integers have no such
    instruction: a comparison gives their first bit, and the conversion of the
    rest the others. Integers of less than 8 bits are converted in 32 bits, and
    brought into their range before the others are cut off.

    A shift of 32 bits by 32 or more is 0, or the sign in every bit, both of
    vectors and of numbers: XLA compiles its own shifts, which are defined so, to
    the same instructions without guards. In a kernel of a TensorCore these
    guards are dropped, and vectors of 8 and 16 bits are shifted in 32. In any
    other function a shift has some result, so that the selection of another one
    is enough.

    The test for a finite float is one instruction, `tpu.weird`. `1 / x` with
    `afn`, which allows an approximation, is `tpu.reciprocal`, without the ends
    of the range if `ninf` excludes infinities.

    Before:

    ```mlir
    %m = math.absf %x : vector<8x128xf32>
    %inf = arith.constant dense<0x7F800000> : vector<8x128xf32>
    %finite = arith.cmpf olt, %m, %inf : vector<8x128xf32>
    ```

    After:

    ```mlir
    %w = tpu.weird %x : vector<8x128xf32> -> vector<8x128xi1>
    %true = arith.constant dense<true> : vector<8x128xi1>
    %finite = arith.xori %w, %true : vector<8x128xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::gridir::tpu::TPUDialect"];
  let statistics = [
    Statistic<"numConversions", "num-conversions", "Number of conversions whose guards were dropped">,
    Statistic<"numSaturating", "num-saturating", "Number of shifts whose guards were dropped">,
    Statistic<"numShifts", "num-shifts", "Number of shifts whose amounts were guarded">,
    Statistic<"numClasses", "num-classes", "Number of tests for finite floats that became one instruction">,
    Statistic<"numReciprocals", "num-reciprocals", "Number of divisions that became approximate reciprocals">
  ];
}

def TPUSelectAccumulatorsPass : Pass<"tpu-select-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Accumulate inside matmuls, and begin accumulators with a "
                "select";
  let description = [{
    The sum with the result of a matmul becomes the matmul's accumulator. If a
    region stores a constant at the first step, and every step loads that memory
    and overwrites it, the load is replaced by a select of the constant at the
    first step, and the region is dropped: no store and no branch constrain the
    scheduler (7 to 27 % of the bundles of a matrix product on v5e).

    A store stays if anything else in the kernel may read the memory before it
    is overwritten.

    Before:

    ```mlir
    func.func @step(%first: i1, %acc: memref<8x128xf32, #tpu.memory_space<vmem>>,
                    %a: vector<8x128xf32>, %b: vector<128x128xf32>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant dense<0.0> : vector<8x128xf32>
      scf.if %first {
        tpu.vector_store %acc[%c0, %c0], %zero {strides = array<i32>}
            : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
      }
      %s = vector.load %acc[%c0, %c0]
          : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
      %m = tpu.matmul %a, %b, %zero {transpose_lhs_hint = false}
          : vector<8x128xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
      %t = arith.addf %s, %m : vector<8x128xf32>
      tpu.vector_store %acc[%c0, %c0], %t {strides = array<i32>}
          : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
      return
    }
    ```

    After:

    ```mlir
    %s = vector.load %acc[%c0, %c0]
        : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %zero = arith.constant dense<0.0> : vector<8x128xf32>
    %start = arith.select %first, %zero, %s : vector<8x128xf32>
    %t = tpu.matmul %a, %b, %start {transpose_lhs_hint = false}
        : vector<8x128xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
    tpu.vector_store %acc[%c0, %c0], %t {strides = array<i32>}
        : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numSums", "num-sums", "Number of sums that became accumulators">,
    Statistic<"numSelects", "num-selects", "Number of first steps that became selects">
  ];
}

def TPUSerializePass : Pass<"tpu-serialize", "::mlir::ModuleOp"> {
  let summary = "Serialize a module to the versioned form that Mosaic reads";
  let description = [{
    Renames every op `x` to `stable_mosaic.x`, with its properties as plain
    attributes, and records the version on the module. Ops that had other
    operand segments in an older version get those; an op that the version
    cannot express is an error. Attributes of the module that are not Mosaic's
    are dropped.

    The generic text of the result, with locations, is the body of a
    `tpu_custom_call`.

    Before:

    ```mlir
    func.func @transform_0(%i: i32) -> (i32, i32) {
      %c0_i32 = arith.constant 0 : i32
      return %i, %c0_i32 : i32, i32
    }
    ```

    After:

    ```mlir
    "builtin.module"() ({
      "stable_mosaic.func.func"() ({
      ^bb0(%i: i32):
        %c0_i32 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
        "stable_mosaic.func.return"(%i, %c0_i32) : (i32, i32) -> ()
      }) {function_type = (i32) -> (i32, i32), sym_name = "transform_0"} : () -> ()
    }) {stable_mosaic.version = 13 : i64} : () -> ()
    ```
  }];
  let dependentDialects = ["::gridir::tpu::StableMosaicDialect"];
  let options = [
    Option<"version", "version", "int64_t", /*default=*/"13",
           "Set the version of the form: 13 for libtpu 0.0.41, 11 for jax.export">
  ];
}

def TPUSimplifyIndicesPass : Pass<"tpu-simplify-indices", "::mlir::ModuleOp"> {
  let summary = "Simplify arithmetic on grid indices by their ranges";
  let description = [{
    The grid bounds its indices. Integers of the kernel and of its transforms
    that these bounds determine are folded, and comparisons of sums drop common
    terms: a block on or below the diagonal is found by one comparison of two
    indices. Every step of the grid runs this arithmetic on the scalar unit
    before anything else.

    The size of a vector of indices bounds its numbers in the same way: clamps
    to the array are dropped, and a remainder by a power of two becomes a mask
    of its last bits.

    Ops that may wrap around are not rewritten.

    Before:

    ```mlir
    func.func @kernel(%i: i32, %j: i32) -> i1 attributes {
        tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4, 4>} {
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %next = arith.addi %i, %c1 : i32
      %end = arith.muli %next, %c128 : i32
      %last_row = arith.subi %end, %c1 : i32
      %first_column = arith.muli %j, %c128 : i32
      %0 = arith.cmpi sgt, %last_row, %first_column : i32
      return %0 : i1
    }
    ```

    After:

    ```mlir
    %0 = arith.cmpi sge, %i, %j : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numComparisons", "num-comparisons", "Number of comparisons that were simplified">
  ];
}

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_PASSES_TD
