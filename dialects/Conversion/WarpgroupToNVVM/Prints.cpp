//===- Prints.cpp - What kernels print, and what they assert --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "dialects/GPU/Transforms/PrintFormat.h"
#include "dialects/Support/SourceLines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// A line that the leader prints: numbers at once, as lines of others may come
/// between, and arrays element by element.
class Printer {
public:
  Printer(grid::PrintOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        loc(op.getLoc()) {}

  LogicalResult lower() {
    gpu::PrintFormat format(op.getFormat());
    for (Value value : op.getValues())
      if (failed(lowering.convertType(op, value.getType())))
        return failure();
    text = format.texts.front();
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      bool isUnsigned =
          i < size_t(op.getIsUnsigned().size()) && op.getIsUnsigned()[i];
      StringRef spec = format.specs[i];
      if (isa<RankedTensorType>(value.getType())) {
        View array = lowering.createShared(loc, lowering.get(value),
                                           lowering.getDistribution(value));
        lowering.createForLeader(loc, Value(), [&] {
          printArray(array, isUnsigned, spec, {});
          flush();
        });
      } else {
        printNumber(lowering.getScalar(value), isUnsigned, spec);
      }
      text += format.texts[i + 1];
    }
    text += "\n";
    lowering.createForLeader(loc, Value(), [&] { flush(); });
    return success();
  }

private:
  void flush() {
    if (!text.empty())
      mlir::gpu::PrintfOp::create(builder, loc, text, numbers);
    text.clear();
    numbers.clear();
  }

  void printNumber(Value number, bool isUnsigned, StringRef spec) {
    isUnsigned |= number.getType().isInteger(1);
    auto [directive, printed] =
        gpu::createPrintedNumber(builder, loc, number, isUnsigned, spec);
    text += directive;
    numbers.push_back(printed);
  }

  /// In brackets for each dimension.
  void printArray(const View &array, bool isUnsigned, StringRef spec,
                  SmallVector<Value> coords) {
    if (coords.size() == array.sizes.size()) {
      Value value = LLVM::LoadOp::create(
          builder, loc, getStorageType(array.getElementType()),
          lowering.createAddress(loc, array, coords));
      printNumber(fromStorage(builder, loc, value, array.getElementType()),
                  isUnsigned, spec);
      return;
    }
    text += "[";
    flush();
    Value zero = createI32(builder, loc, 0);
    auto loop = scf::ForOp::create(
        builder, loc, zero, createI32(builder, loc, array.sizes[coords.size()]),
        createI32(builder, loc, 1));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value follows = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(), zero);
      auto separated = scf::IfOp::create(builder, loc, follows);
      {
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPointToStart(separated.thenBlock());
        text = " ";
        flush();
      }
      coords.push_back(loop.getInductionVar());
      printArray(array, isUnsigned, spec, coords);
      flush();
    }
    text += "]";
  }

  grid::PrintOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  /// The text that is printed next.
  std::string text;
  SmallVector<Value> numbers;
};

LogicalResult lowerPrint(grid::PrintOp op, Lowering &lowering) {
  return Printer(op, lowering).lower();
}

/// Stores the number of the check and its integers in the error report if the
/// condition is false; the first of all threads does. The program continues,
/// since others may wait for it at barriers.
LogicalResult lowerAssert(grid::AssertOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Attribute text = getLocatedText(loc, op.getMessage());
  lowering.diagnostics.insert(text);
  int64_t number =
      llvm::find(lowering.diagnostics, text) - lowering.diagnostics.begin() + 1;
  Value truth = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  Value fails = arith::XOrIOp::create(
      builder, loc, lowering.getScalar(op.getCondition()), truth);
  scf::IfOp::create(builder, loc, fails, [&](OpBuilder &builder, Location loc) {
    Value exchange = LLVM::AtomicCmpXchgOp::create(
        builder, loc, lowering.report, createI64(builder, loc, 0),
        createI64(builder, loc, number), LLVM::AtomicOrdering::monotonic,
        LLVM::AtomicOrdering::monotonic, "device");
    if (!op.getValues().empty()) {
      Value isFirst = LLVM::ExtractValueOp::create(builder, loc, exchange, 1);
      scf::IfOp::create(
          builder, loc, isFirst, [&](OpBuilder &builder, Location loc) {
            for (auto [i, value] : llvm::enumerate(op.getValues())) {
              Value address = LLVM::GEPOp::create(
                  builder, loc, lowering.report.getType(), builder.getI64Type(),
                  lowering.report, ArrayRef<LLVM::GEPArg>(i + 1));
              LLVM::StoreOp::create(
                  builder, loc, toI64(builder, loc, lowering.getScalar(value)),
                  address);
            }
            scf::YieldOp::create(builder, loc);
          });
    }
    scf::YieldOp::create(builder, loc);
  });
  return success();
}

LogicalResult lowerDelay(grid::DelayOp op, Lowering &lowering) {
  NVVM::NanosleepOp::create(lowering.builder, op.getLoc(),
                            lowering.getScalar(op.getNanos()));
  return success();
}

} // namespace

bool hasChecks(grid::KernelOp kernel) {
  return kernel.getBodyRegion()
      .walk([](grid::AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void addPrintLowerings(Handlers &handlers) {
  handlers.add(lowerPrint);
  handlers.add(lowerAssert);
  handlers.add(lowerDelay);
}

} // namespace gridir::warpgroup_to_nvvm
