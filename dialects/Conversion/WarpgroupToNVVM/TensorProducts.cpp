//===- TensorProducts.cpp - Products with sums in tensor memory -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of the warpgroup asks the tensor core for all, in the order of the
// program, and for the arrivals behind them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedMatrix.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// The most columns of a product.
constexpr int64_t kMaxTensorProductColumns = 256;

//===----------------------------------------------------------------------===//
// The thread that asks
//===----------------------------------------------------------------------===//

/// The threads meet where the tensor core may touch what they have loaded or
/// stored, or complete a phase that somebody still waits for.
void syncBeforeTensorCore(Lowering &lowering, Location loc, ValueRange refs,
                          bool arrives) {
  Hazards &hazards = lowering.hazards;
  bool isTouched = llvm::any_of(refs, [&](Value ref) {
    const Storage *storage = lowering.getView(ref).storage->getOrigin();
    return hazards.read.contains(storage) || hazards.written.contains(storage);
  });
  if (isTouched || (arrives && hazards.waits))
    lowering.createSync(loc);
}

/// Whether the block is the one that acts for a pair; null where each acts for
/// itself.
Value createActsForPair(Lowering &lowering, Location loc, StringAttr axis) {
  if (!axis)
    return Value();
  return arith::CmpIOp::create(lowering.builder, loc, arith::CmpIPredicate::eq,
                               lowering.createClusterPlace(loc, axis),
                               createI32(lowering.builder, loc, 0));
}

/// An arrival at a barrier, or at those of both blocks, behind all that the
/// thread has asked for.
void createTensorCommit(Lowering &lowering, Location loc, Value address,
                        StringAttr axis) {
  OpBuilder &builder = lowering.builder;
  Value mask;
  if (axis) {
    Value both = arith::ShLIOp::create(builder, loc, createI32(builder, loc, 3),
                                       lowering.getClusterRank());
    mask = arith::TruncIOp::create(builder, loc, builder.getI16Type(), both);
  }
  NVVM::Tcgen05CommitOp::create(builder, loc, address, mask,
                                getCtaGroup(axis != nullptr));
}

/// Two blocks are a pair where their numbers in the cluster differ in the last
/// bit.
LogicalResult checkPair(Operation *op, Lowering &lowering, StringAttr axis) {
  if (axis && lowering.getClusterStride(axis) != 1)
    return op->emitError("expected a pair of blocks along the last axis of the "
                         "cluster, got ")
           << axis;
  return success();
}

//===----------------------------------------------------------------------===//
// The instruction descriptor
//===----------------------------------------------------------------------===//

/// What the matrix unit is told of an element type: the kind of product, and
/// its number there.
struct TensorElement {
  NVVM::Tcgen05MMAKind kind;
  unsigned number;
};

std::optional<TensorElement> getTensorElement(Type type, bool isUnsigned) {
  using Kind = NVVM::Tcgen05MMAKind;
  if (type.isF16())
    return TensorElement{Kind::F16, 0};
  if (type.isBF16())
    return TensorElement{Kind::F16, 1};
  if (type.isF32())
    return TensorElement{Kind::TF32, 2};
  if (isa<Float8E4M3FNType>(type))
    return TensorElement{Kind::F8F6F4, 0};
  if (isa<Float8E5M2Type>(type))
    return TensorElement{Kind::F8F6F4, 1};
  if (type.isInteger(8))
    return TensorElement{Kind::I8, isUnsigned ? 0u : 1u};
  return std::nullopt;
}

/// The number of the type of the sums, where products of the kind have such.
std::optional<unsigned> getSumNumber(Type type, const TensorElement &element) {
  using Kind = NVVM::Tcgen05MMAKind;
  bool isInteger = element.kind == Kind::I8;
  bool hasHalves = element.kind == Kind::F8F6F4 ||
                   (element.kind == Kind::F16 && element.number == 0);
  if (type.isF16() && hasHalves)
    return 0;
  if (type.isF32() && !isInteger)
    return 1;
  if (type.isInteger(32) && isInteger)
    return 2;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

class TensorProduct {
public:
  TensorProduct(warpgroup::Tcgen05MmaOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        acc(lowering.getView(op.getAcc())), accWindow(builder, acc),
        rhs(lowering, lowering.getView(op.getRhs()), /*depthDim=*/0,
            MatrixUnit::Tcgen05) {}

  LogicalResult lower() {
    if (!lowering.chip.hasTensorMemory)
      return op.emitError("expected a chip that has tensor memory, got ")
             << lowering.chip.name;
    if (op.getLhsScale() || op.getMetadata())
      return op.emitError("expected a product without scales and metadata");
    if (failed(checkPair(op, lowering, op.getCollectiveAttr())) ||
        failed(analyzeTypes()) || failed(analyzeShapes()) ||
        failed(accWindow.analyze(op)) || failed(rhs.analyze(op)) ||
        failed(analyzeLhs()))
      return failure();
    create();
    return success();
  }

private:
  LogicalResult analyzeTypes() {
    auto lhsType = cast<MemRefType>(op.getLhs().getType());
    auto rhsType = cast<MemRefType>(op.getRhs().getType());
    elementA = getTensorElement(lhsType.getElementType(), op.getUnsignedLhs());
    elementB = getTensorElement(rhsType.getElementType(), op.getUnsignedRhs());
    if (elementA && elementB && elementA->kind == elementB->kind)
      sumNumber = getSumNumber(acc.getElementType(), *elementA);
    if (!sumNumber)
      return op.emitError(
                 "expected a product that tcgen05.mma computes, got one of ")
             << lhsType << " and " << rhsType << " in "
             << op.getAcc().getType();
    step = kDepthBytes * 8 / lhsType.getElementTypeBitWidth();
    return success();
  }

  LogicalResult analyzeShapes() {
    auto accType = cast<MemRefType>(op.getAcc().getType());
    rows = accType.getDimSize(0);
    columns = accType.getDimSize(1);
    depth = cast<MemRefType>(op.getRhs().getType()).getDimSize(0);
    // Of 64 rows each half of the columns is in lanes of its own.
    isHalved = rows == 64 && !isPaired();
    int64_t halves = isHalved ? 2 : 1;
    width = std::min(columns / halves, kMaxTensorProductColumns);
    int64_t multiple = (isPaired() ? 16 : 8) *
                       (elementA->kind == NVVM::Tcgen05MMAKind::I8 ? 2 : 1);
    if ((rows != 64 && rows != 128) || depth % step != 0 ||
        columns % (halves * width) != 0 || width % multiple != 0 ||
        (isPaired() && columns > kMaxTensorProductColumns))
      return op.emitError(
                 "expected a product of 64 or 128 rows, a multiple of ")
             << step << " along the depth, and a multiple of "
             << halves * multiple << " columns"
             << (isPaired() ? ", at most 256" : "") << ", got " << rows << " x "
             << depth << " x " << columns;
    return success();
  }

  LogicalResult analyzeLhs() {
    const View &view = lowering.getView(op.getLhs());
    if (view.storage->kind == Storage::Kind::Tensor) {
      lhsWindow.emplace(builder, view);
      if (rows != 128)
        return op.emitError("expected 128 rows of an operand in tensor memory, "
                            "got ")
               << rows;
      if (view.storage->tensor->packing * view.storage->getElementBytes() != 4)
        return op.emitError("expected an operand in tensor memory that is no "
                            "sum of products");
      return lhsWindow->analyze(op);
    }
    lhs.emplace(lowering, view, /*depthDim=*/1, MatrixUnit::Tcgen05);
    return lhs->analyze(op);
  }

  bool isPaired() { return op.getCollective().has_value(); }

  void create() {
    Location loc = op.getLoc();
    SmallVector<Value> touched{op.getAcc(), op.getLhs(), op.getRhs()};
    syncBeforeTensorCore(lowering, loc, touched, op.getBarrier() != nullptr);
    Value accumulate = lowering.getScalar(op.getAccumulate());
    Value barrier;
    if (op.getBarrier())
      barrier =
          lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
    Value acts = createActsForPair(lowering, loc, op.getCollectiveAttr());
    lowering.createForLeader(loc, acts, [&] {
      createFenceAfterSync(builder, loc);
      accAddress = accWindow.createAddress(loc);
      rhs.createBase(loc);
      if (lhs)
        lhs->createBase(loc);
      else
        lhsAddress = lhsWindow->createAddress(loc);
      Value descriptor = createI32(builder, loc, getInstructionDescriptor());
      for (int64_t column = 0; column < columns; column += width)
        for (int64_t k = 0; k < depth; k += step)
          createInstruction(loc, descriptor, column, k,
                            k == 0 ? accumulate : createTrue(loc));
      if (barrier)
        createTensorCommit(lowering, loc, barrier, op.getCollectiveAttr());
    });
  }

  Value createTrue(Location loc) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  }

  int64_t getInstructionDescriptor() {
    int64_t blocks = isPaired() ? 2 : 1;
    return *sumNumber << 4 | elementA->number << 7 | elementB->number << 10 |
           int64_t(lhs && lhs->isTransposed()) << 15 |
           int64_t(rhs.isTransposed()) << 16 | width / 8 << 17 |
           rows * blocks / 16 << 24;
  }

  void createInstruction(Location loc, Value descriptor, int64_t column,
                         int64_t k, Value accumulate) {
    int64_t half = isHalved ? columns / 2 : columns;
    int64_t place = (column / half * 16) << kTensorLaneShift | (column % half);
    Value sums = createTensorPointer(
        builder, loc,
        accWindow.createPlace(loc, accAddress,
                              builder.getI32IntegerAttr(place)));
    Value a;
    if (lhs) {
      a = lhs->createDescriptor(loc, /*outer=*/0, k);
    } else {
      int64_t packing = lowering.getView(op.getLhs()).storage->tensor->packing;
      a = createTensorPointer(
          builder, loc,
          lhsWindow->createPlace(loc, lhsAddress,
                                 builder.getI32IntegerAttr(k / packing)));
    }
    NVVM::Tcgen05MMAOp::create(
        builder, loc, elementA->kind, getCtaGroup(isPaired()),
        NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, sums, a,
        rhs.createDescriptor(loc, column, k), descriptor, accumulate,
        /*scaleInputD=*/Value(), /*disableOutputLane=*/Value());
  }

  warpgroup::Tcgen05MmaOp op;
  Lowering &lowering;
  OpBuilder &builder;
  const View &acc;
  TensorWindow accWindow;
  SharedMatrix rhs;
  /// The left operand is in shared or in tensor memory.
  std::optional<SharedMatrix> lhs;
  std::optional<TensorWindow> lhsWindow;
  Value accAddress, lhsAddress;
  std::optional<TensorElement> elementA, elementB;
  std::optional<unsigned> sumNumber;
  /// Of the product, and of one instruction the depth and the columns.
  int64_t rows, columns, depth, step, width;
  bool isHalved;
};

LogicalResult lowerTensorProduct(warpgroup::Tcgen05MmaOp op,
                                 Lowering &lowering) {
  return TensorProduct(op, lowering).lower();
}

LogicalResult lowerTensorCommit(warpgroup::Tcgen05CommitOp op,
                                Lowering &lowering) {
  Location loc = op.getLoc();
  if (failed(checkPair(op, lowering, op.getCollectiveAttr())))
    return failure();
  if (!lowering.chip.hasTensorMemory)
    return op.emitError("expected a chip that has tensor memory, got ")
           << lowering.chip.name;
  Value barrier =
      lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
  syncBeforeTensorCore(lowering, loc, {}, /*arrives=*/true);
  Value acts = createActsForPair(lowering, loc, op.getCollectiveAttr());
  lowering.createForLeader(loc, acts, [&] {
    createTensorCommit(lowering, loc, barrier, op.getCollectiveAttr());
  });
  return success();
}

} // namespace

void addTensorProductLowerings(Lowering &lowering) {
  lowering.add(lowerTensorProduct);
  lowering.add(lowerTensorCommit);
}

} // namespace gridir::warpgroup_to_nvvm
