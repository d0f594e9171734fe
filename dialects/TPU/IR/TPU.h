//===- TPU.h - The tpu dialect ---------------------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPU_H
#define GRIDIR_DIALECTS_TPU_IR_TPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <optional>

namespace gridir::tpu {

/// The state that ops of a program share besides memory: the clock, the random
/// generator, the trace and the log of the core.
struct MachineResource : mlir::SideEffects::Resource::Base<MachineResource> {
  llvm::StringRef getName() final { return "tpu.machine"; }
};

} // namespace gridir::tpu

#include "dialects/TPU/IR/TPUDialect.h.inc"
#include "dialects/TPU/IR/TPUEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TPU/IR/TPUTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TPU/IR/TPUAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/TPU/IR/TPUOps.h.inc"

namespace gridir::tpu {

/// The space of a memref; none where the memref names none.
std::optional<MemorySpace> getMemorySpace(mlir::MemRefType type);

/// True if Mosaic can rotate each row by `stride` lanes more than the row
/// before, in elements of `width` bits: within a register, which rotates by at
/// most its lanes. `amount` is the rotation of the first of `rows` rows.
bool canRotateRows(unsigned width, int64_t amount, int64_t stride,
                   int64_t rows);

/// The names of the attributes by which Mosaic knows a kernel and its windows.
inline constexpr llvm::StringLiteral kCoreTypeName = "tpu.core_type";
inline constexpr llvm::StringLiteral kIterationBoundsName = "iteration_bounds";
inline constexpr llvm::StringLiteral kDimensionSemanticsName =
    "dimension_semantics";
inline constexpr llvm::StringLiteral kScalarPrefetchName = "scalar_prefetch";
inline constexpr llvm::StringLiteral kScratchOperandsName = "scratch_operands";
inline constexpr llvm::StringLiteral kWindowParamsName = "window_params";
inline constexpr llvm::StringLiteral kWindowBoundsName = "window_bounds";
inline constexpr llvm::StringLiteral kTransformIndicesName =
    "transform_indices";
inline constexpr llvm::StringLiteral kWindowKindName = "window_kind";
inline constexpr llvm::StringLiteral kPipelineModeName = "pipeline_mode";
inline constexpr llvm::StringLiteral kRevisitModeName = "revisit_mode";

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_IR_TPU_H
