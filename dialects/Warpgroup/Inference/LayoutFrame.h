//===- LayoutFrame.h - How the layouts of tensors depend -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTFRAME_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTFRAME_H

#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace gridir::warpgroup {

/// A set of tensors of an op whose layouts follow from one layout: that of the
/// iteration space, or of the tensor that the op passes on.
struct LayoutFrame {
  using Derivation = std::function<std::optional<Layout>(const Layout &)>;

  /// A tensor of the frame. An operand with another layout is relaid before the
  /// op; a value that the op defines has the layout that it derives.
  struct Part {
    /// Either a use, or a result or block argument.
    mlir::OpOperand *operand = nullptr;
    mlir::Value value;
    /// Computes the tensor's layout from the space's; none if it is not
    /// determined.
    Derivation derive;
    /// Computes the layout of the space from the tensor's, if it is unique; may
    /// be absent.
    Derivation lift;
    /// True if the layout is that of the iteration space.
    bool isEqual = true;
    /// True if the contents of an operand are not read.
    bool isUnread = false;

    mlir::RankedTensorType getType() const;
  };

  LayoutFrame(mlir::Operation *op, Shape shape)
      : op(op), shape(shape.begin(), shape.end()) {}

  /// Adds a tensor that has the layout of the space.
  Part &addEqual(mlir::OpOperand &operand);
  Part &addEqual(mlir::Value value);
  /// A tensor with dimensions `dims` of the space, in this order.
  void project(Part &part, llvm::ArrayRef<int64_t> dims);
  /// A tensor with all elements of the space in row-major order.
  void reshape(Part &part);

  mlir::Operation *op;
  Coordinates shape;
  llvm::SmallVector<Part> parts;

  /// The layouts that the op supports; if empty, all layouts that fit.
  llvm::SmallVector<Layout> allowed;
  /// A predicate for supported layouts among those that fit; if absent, all are
  /// supported.
  std::function<bool(const Layout &)> accepts;
  /// The preferred layouts.
  llvm::SmallVector<Layout> preferred;
  /// Weighted instructions of each thread, as `ConversionCost::getWeight`.
  std::function<int64_t(const Layout &)> cost;
  /// True if it is better to recompute the op for a user that needs another
  /// layout than to convert its result. Such an op reads no tensor.
  bool isRepeatable = false;
};

/// Adds a frame for a single operand: the op exchanges elements through shared
/// memory, so it accepts any layout.
void addMoved(mlir::Operation *op, mlir::OpOperand &operand,
              llvm::SmallVectorImpl<LayoutFrame> &frames);

/// True if each element has its own register: no splat of several.
bool holdsEach(const Layout &layout, Shape shape);

/// True if no two registers of a thread hold the same element, so that each
/// element counts once.
bool holdsOnce(const Layout &layout, Shape shape);

/// True if threads reduce the elements that they hold, and then combine the
/// results. Other structured ops with reductions need elements of other
/// threads.
bool isReducedInRegisters(mlir::linalg::LinalgOp op);

/// The layouts of `known` that an array of this shape can have.
llvm::SmallVector<Layout> keepFitting(llvm::ArrayRef<Layout> known,
                                      Shape shape);

} // namespace gridir::warpgroup

#include "dialects/Warpgroup/Inference/LayoutOpInterface.h.inc"

namespace gridir::warpgroup {

/// The frames of any op: by its interface, or by upstream's traits and
/// interfaces. An error for an op on tensors that has none of them.
llvm::LogicalResult
collectLayoutFrames(mlir::Operation *op,
                    llvm::SmallVectorImpl<LayoutFrame> &frames);

/// Reports that the layouts of the tensors of an op are undetermined.
llvm::LogicalResult refuseTensors(mlir::Operation *op);

/// Attaches `LayoutOpInterface` to ops of `warpgroup`, `grid` and upstream
/// dialects.
void registerLayoutModels(mlir::DialectRegistry &registry);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTFRAME_H
