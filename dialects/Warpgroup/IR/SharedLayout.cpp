//===- SharedLayout.cpp - How Refs lie in shared memory -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/SharedLayout.h"

#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::warpgroup {

bool canHavePanels(Type ref) {
  auto type = dyn_cast<MemRefType>(ref);
  return type && isInSpace(type, Space::Smem) && type.hasStaticShape() &&
         type.getRank() >= 2 && type.getElementType().isIntOrFloat();
}

unsigned getSharedElementBits(Value ref) {
  unsigned bits = cast<MemRefType>(ref.getType()).getElementTypeBitWidth();
  return isPackedForTensorCore(ref) ? bits : llvm::alignTo(bits, 8);
}

int64_t getNumElements(Value ref, int64_t bytes) {
  return bytes * 8 / getSharedElementBits(ref);
}

SharedLayoutAttr getSharedLayout(Value ref) {
  while (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    ref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(ref);
  auto scope = argument ? dyn_cast_if_present<grid::ScopedOp>(
                              argument.getOwner()->getParentOp())
                        : grid::ScopedOp();
  auto layouts =
      scope ? scope->getAttrOfType<ArrayAttr>(kSharedLayoutsAttr) : ArrayAttr();
  return layouts ? dyn_cast<SharedLayoutAttr>(layouts[argument.getArgNumber()])
                 : SharedLayoutAttr();
}

LogicalResult verifySharedLayouts(Operation *op, Attribute value) {
  auto scope = dyn_cast<grid::ScopedOp>(op);
  auto layouts = dyn_cast<ArrayAttr>(value);
  if (!scope || !layouts || layouts.size() != scope.getBody().getNumArguments())
    return op->emitError("expected a layout for each Ref of a scope as ")
           << kSharedLayoutsAttr << ", got " << value;
  for (auto [ref, attribute] :
       llvm::zip_equal(scope.getBody().getArguments(), layouts)) {
    if (isa<UnitAttr>(attribute))
      continue;
    auto layout = dyn_cast<SharedLayoutAttr>(attribute);
    if (!layout)
      return op->emitError("expected #warpgroup.shared_layout or unit for ")
             << scope.getRefName(ref.getArgNumber()) << ", got " << attribute;
    if (!canHavePanels(ref.getType()))
      return op->emitError("expected panels of a matrix in shared memory, got ")
             << layout << " for " << scope.getRefName(ref.getArgNumber())
             << " of " << ref.getType();
    auto type = cast<MemRefType>(ref.getType());
    int64_t columns = getNumElements(ref, layout.getPanelBytes());
    if (type.getShape().back() % columns != 0 ||
        layout.getRows() > type.getRank() - 2)
      return op->emitError("expected rows of whole panels before the last "
                           "dimension, got ")
             << layout << " for " << scope.getRefName(ref.getArgNumber())
             << " of " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SharedLayoutAttr
//===----------------------------------------------------------------------===//

LogicalResult
SharedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t panelBytes, int64_t rows) {
  if (!llvm::isPowerOf2_64(panelBytes) || panelBytes < kMinPanelBytes ||
      panelBytes > kMaxPanelBytes)
    return emitError() << "expected rows of 16, 32, 64 or 128 bytes, got "
                       << panelBytes;
  if (rows < 0)
    return emitError() << "expected a dimension of rows, got " << rows;
  return success();
}

} // namespace gridir::warpgroup
