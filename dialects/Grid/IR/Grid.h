//===- Grid.h - The grid dialect ------------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRID_H
#define GRIDIR_DIALECTS_GRID_IR_GRID_H

#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/Grid/IR/GridInterfaces.h"
#include "dialects/Grid/IR/MemorySpaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <optional>

namespace gridir::grid {

/// The state of a program's random generator.
struct PrngStateResource
    : mlir::SideEffects::Resource::Base<PrngStateResource> {
  llvm::StringRef getName() final { return "grid.prng_state"; }
};

/// Effects that reach the caller besides the results: printed text and failed
/// checks.
struct OutputResource : mlir::SideEffects::Resource::Base<OutputResource> {
  llvm::StringRef getName() final { return "grid.output"; }
};

/// The semaphores that no Ref of the kernel names.
struct SemaphoreResource
    : mlir::SideEffects::Resource::Base<SemaphoreResource> {
  llvm::StringRef getName() final { return "grid.semaphores"; }
};

/// The state of the race detector.
struct AccessResource : mlir::SideEffects::Resource::Base<AccessResource> {
  llvm::StringRef getName() final { return "grid.accesses"; }
};

/// Returns the use of devices by an op that may name one.
inline DeviceUse getAccessOfDevice(mlir::ValueRange device) {
  return device.empty() ? DeviceUse::None : DeviceUse::Access;
}

/// Returns the order that an op requires if it names this device.
inline ProgramOrder getOrderOfDevice(mlir::ValueRange device) {
  if (device.empty())
    return {};
  return {ProgramOrder::Unknown,
          "another device sees the order of the programs"};
}

} // namespace gridir::grid

#include "dialects/Grid/IR/GridDialect.h.inc"
#include "dialects/Grid/IR/GridEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Grid/IR/GridTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Grid/IR/GridAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Grid/IR/GridOps.h.inc"

namespace gridir::grid {

/// True if an op reads or writes the state of the program's random generator.
bool usesPrngState(mlir::Operation *op);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_GRID_H
