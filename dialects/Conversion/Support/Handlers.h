//===- Handlers.h - Lowerings that emit ops again ---------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions that walk over a body once and emit every op again. A Ref has no
// SSA value in their result: it is a RefWindow of memory, and each access
// computes its addresses itself. The memories differ, a Mosaic memref and the
// storage of a CTA, so the View of each conversion adds its own to the window.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_SUPPORT_HANDLERS_H
#define GRIDIR_DIALECTS_CONVERSION_SUPPORT_HANDLERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace gridir {

/// The lowering of each op. `LoweringT` is the state of the walk. A conversion
/// has one table for all kernels, since building it takes longer than emitting
/// a small function.
template <typename LoweringT> class Handlers {
public:
  using Handler =
      std::function<llvm::LogicalResult(mlir::Operation *, LoweringT &)>;

  template <typename OpT>
  void add(llvm::LogicalResult (*lower)(OpT, LoweringT &)) {
    handlers[mlir::TypeID::get<OpT>()] = [lower](mlir::Operation *op,
                                                 LoweringT &lowering) {
      return lower(llvm::cast<OpT>(op), lowering);
    };
  }

  /// The handler of an op, or null.
  const Handler *find(mlir::Operation *op) const {
    auto it = handlers.find(op->getName().getTypeID());
    return it == handlers.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

/// The values and windows that a walk has emitted. `HeldT` represents a value:
/// a vector of a TPU, or the registers of a thread.
template <typename HeldT, typename ViewT> class Emitted {
public:
  void set(mlir::Value from, HeldT to) { values[from] = std::move(to); }
  bool hasView(mlir::Value ref) const { return views.contains(ref); }
  const ViewT &getView(mlir::Value ref) const {
    return views.find(ref)->second;
  }
  void setView(mlir::Value ref, ViewT view) { views[ref] = std::move(view); }

protected:
  llvm::DenseMap<mlir::Value, HeldT> values;

private:
  llvm::DenseMap<mlir::Value, ViewT> views;
};

/// Emits the ops of a block but its terminator.
template <typename LoweringT>
llvm::LogicalResult lowerBlock(mlir::Block &block, LoweringT &lowering) {
  for (mlir::Operation &op : block.without_terminator())
    if (llvm::failed(lowering.lowerOp(&op)))
      return llvm::failure();
  return llvm::success();
}

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_SUPPORT_HANDLERS_H
