//===- Prints.cpp - Prints and checks -------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// A format string cut at its placeholders.
struct Format {
  SmallVector<std::string> texts{""};
  SmallVector<std::string> specs;

  explicit Format(StringRef format) {
    while (!format.empty()) {
      char next = format.front();
      bool isEscaped = format.size() > 1 && format[1] == next;
      if (next == '{' && !isEscaped) {
        StringRef placeholder =
            format.take_until([](char c) { return c == '}'; });
        specs.push_back(placeholder.drop_front().ltrim(':').str());
        texts.emplace_back();
        format =
            format.drop_front(std::min(placeholder.size() + 1, format.size()));
        continue;
      }
      texts.back() += next;
      format =
          format.drop_front((next == '{' || next == '}') && isEscaped ? 2 : 1);
    }
  }

  /// True if all placeholders are at the end, separated by blanks.
  bool isList() const {
    return llvm::all_of(ArrayRef(texts).drop_front(),
                        [](StringRef text) { return text.trim().empty(); }) &&
           llvm::all_of(specs, [](StringRef spec) { return spec.empty(); });
  }
};

/// Numbers are logged by value.
LogicalResult logNumbers(grid::PrintOp op, const Format &format,
                         Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  SmallVector<Value> numbers;
  bool areWords = true;
  for (Value value : op.getValues()) {
    Value number = lowering.get(value);
    if (number.getType().isIndex())
      number = toI32(builder, op.getLoc(), number);
    number = createElementCast(builder, op.getLoc(), number,
                               getWideElement(number.getType()));
    areWords &= number.getType().isInteger(32);
    numbers.push_back(number);
  }
  std::string tag = format.texts.front();
  bool isFormatted = !format.isList() || (areWords && !numbers.empty());
  if (isFormatted && !areWords)
    return op.emitError("expected i32 values inside of a format string on a "
                        "TPU; place the values at its end");
  if (isFormatted)
    for (auto [i, spec] : llvm::enumerate(format.specs))
      tag += "$" + spec + std::to_string(i) + format.texts[i + 1];
  else
    tag = StringRef(tag).rtrim(' ').str();
  tpu::LogOp::create(builder, op.getLoc(), numbers, tag, isFormatted);
  return success();
}

/// An array is logged from memory, which Mosaic pads to whole tiles.
LogicalResult logArray(grid::PrintOp op, const Format &format,
                       Lowering &lowering) {
  if (op.getValues().size() != 1 || !format.isList())
    return op.emitError("expected scalars, or one array at the end of the "
                        "format string, in a print on a TPU, got ")
           << op.getFormat();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value value = lowering.get(op.getValues().front());
  value = createElementCast(builder, loc, value,
                            getStorageType(getElementTypeOrSelf(value)));
  auto type = cast<VectorType>(value.getType());
  auto region = tpu::RegionOp::create(builder, loc, TypeRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region.getRegion());
  auto space =
      tpu::MemorySpaceAttr::get(op.getContext(), tpu::MemorySpace::Vmem);
  Value memory = memref::AllocaOp::create(
      builder, loc,
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space));
  SmallVector<Value> indices(type.getRank(),
                             arith::ConstantIndexOp::create(builder, loc, 0));
  tpu::VectorStoreOp::create(builder, loc, value, memory, indices,
                             ArrayRef<int32_t>(), Value());
  tpu::LogBufferOp::create(builder, loc, memory, type.getShape(),
                           format.texts.front());
  tpu::YieldOp::create(builder, loc);
  return success();
}

LogicalResult lowerPrint(grid::PrintOp op, Lowering &lowering) {
  Format format(op.getFormat());
  bool areNumbers = llvm::none_of(op.getValues(), [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() != 0;
  });
  return areNumbers ? logNumbers(op, format, lowering)
                    : logArray(op, format, lowering);
}

LogicalResult lowerAssert(grid::AssertOp op, Lowering &lowering) {
  cf::AssertOp::create(lowering.builder, op.getLoc(),
                       lowering.get(op.getCondition()), op.getMessage());
  return success();
}

} // namespace

void addPrintLowerings(Handlers &handlers) {
  handlers.add(lowerPrint);
  handlers.add(lowerAssert);
}

} // namespace gridir::grid_to_tpu
