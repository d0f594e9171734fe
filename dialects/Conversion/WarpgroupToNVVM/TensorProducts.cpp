//===- TensorProducts.cpp - Products with sums in tensor memory -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedMatrix.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorCore.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// The maximum number of columns of an MMA, and the scale factors per word of
/// tensor memory.
constexpr int64_t kMaxTensorProductColumns = 256, kScalesOfWord = 4;

/// The matrix unit's description of an element type: the kind of MMA, the kind
/// with scaled operands, and the number of the type in it.
struct TensorElement {
  NVVM::Tcgen05MMAKind kind;
  std::optional<NVVM::MMABlockScaleKind> scaledKind;
  unsigned number;
};

std::optional<TensorElement> getTensorElement(Type type, bool isUnsigned) {
  using Kind = NVVM::Tcgen05MMAKind;
  using ScaledKind = NVVM::MMABlockScaleKind;
  if (type.isF16())
    return TensorElement{Kind::F16, std::nullopt, 0};
  if (type.isBF16())
    return TensorElement{Kind::F16, std::nullopt, 1};
  if (type.isF32())
    return TensorElement{Kind::TF32, std::nullopt, 2};
  if (isa<Float8E4M3FNType>(type))
    return TensorElement{Kind::F8F6F4, ScaledKind::MXF8F6F4, 0};
  if (isa<Float8E5M2Type>(type))
    return TensorElement{Kind::F8F6F4, ScaledKind::MXF8F6F4, 1};
  if (isa<Float4E2M1FNType>(type))
    return TensorElement{Kind::F8F6F4, ScaledKind::MXF4, 1};
  if (type.isInteger(8))
    return TensorElement{Kind::I8, std::nullopt, isUnsigned ? 0u : 1u};
  return std::nullopt;
}

/// The number of the accumulator type, if MMAs of the kind have one.
std::optional<unsigned> getSumNumber(Type type, const TensorElement &element,
                                     bool isScaled) {
  using Kind = NVVM::Tcgen05MMAKind;
  bool isInteger = element.kind == Kind::I8;
  bool hasHalves =
      !isScaled && (element.kind == Kind::F8F6F4 ||
                    (element.kind == Kind::F16 && element.number == 0));
  if (type.isF16() && hasHalves)
    return 0;
  if (type.isF32() && !isInteger)
    return 1;
  if (type.isInteger(32) && isInteger)
    return 2;
  return std::nullopt;
}

class TensorProduct {
public:
  TensorProduct(warpgroup::Tcgen05MmaOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        acc(lowering.getView(op.getAcc())), accWindow(builder, acc),
        rhs(lowering, lowering.getView(op.getRhs()), /*depthDim=*/0,
            MatrixUnit::Tcgen05) {}

  LogicalResult lower() {
    if (failed(checkTensorCore(op, lowering, op.getCollectiveAttr())) ||
        failed(analyzeTypes()) || failed(analyzeShapes()) ||
        failed(accWindow.analyze(op)) || failed(rhs.analyze(op)) ||
        failed(checkHalves()) || failed(analyzeLhs()) ||
        failed(analyzeOther(op.getLhsScale(), lhsScale)) ||
        failed(analyzeOther(op.getRhsScale(), rhsScale)) ||
        failed(analyzeOther(op.getMetadata(), metadata)))
      return failure();
    create();
    return success();
  }

private:
  bool isPaired() { return op.getCollective().has_value(); }
  bool isScaled() { return op.getLhsScale() != nullptr; }
  /// Elements of the depth for each that the left operand has.
  int64_t getLhsSpan() { return op.getMetadata() ? 2 : 1; }

  LogicalResult analyzeTypes() {
    auto lhsType = cast<MemRefType>(op.getLhs().getType());
    auto rhsType = cast<MemRefType>(op.getRhs().getType());
    elementA = getTensorElement(lhsType.getElementType(), op.getUnsignedLhs());
    elementB = getTensorElement(rhsType.getElementType(), op.getUnsignedRhs());
    if (elementA && elementB && elementA->kind == elementB->kind)
      sumNumber = getSumNumber(acc.getElementType(), *elementA, isScaled());
    int64_t bits = lhsType.getElementTypeBitWidth();
    bool isComputed = sumNumber && (isScaled() ? analyzeScales() : bits >= 8);
    if (!isComputed || (op.getMetadata() && bits != 8 && bits != 16))
      return op.emitError(
                 "expected an MMA that tcgen05.mma supports, got one of ")
             << lhsType << " and " << rhsType << " in "
             << op.getAcc().getType();
    step = kDepthBytes * 8 / bits * getLhsSpan();
    return success();
  }

  /// True if the unit supports scale factors of these types. Elements of 4 bits
  /// have a factor for 16 that is not a power of two, or one for 16 or 32 that
  /// is.
  bool analyzeScales() {
    Type scale = getElementTypeOrSelf(op.getLhsScale().getType());
    scaledKind = elementA->scaledKind;
    isPowerOfTwo = isa<Float8E8M0FNUType>(scale);
    scaleSpan = 32 * getLhsSpan();
    int64_t count = cast<MemRefType>(op.getLhsScale().getType()).getDimSize(1);
    int64_t depth = cast<MemRefType>(op.getRhs().getType()).getDimSize(0);
    bool isFine =
        isa<Float8E4M3FNType>(scale) || depth == count * 16 * getLhsSpan();
    if (scaledKind == NVVM::MMABlockScaleKind::MXF4 && isFine) {
      scaledKind = NVVM::MMABlockScaleKind::MXF4NVF4;
      scaleSpan = 16 * getLhsSpan();
    }
    bool isKnown =
        isPowerOfTwo || scaledKind == NVVM::MMABlockScaleKind::MXF4NVF4;
    return scaledKind && isKnown &&
           scale == getElementTypeOrSelf(op.getRhsScale().getType());
  }

  LogicalResult analyzeShapes() {
    auto accType = cast<MemRefType>(op.getAcc().getType());
    rows = accType.getDimSize(0);
    columns = accType.getDimSize(1);
    depth = cast<MemRefType>(op.getRhs().getType()).getDimSize(0);
    // With 64 rows, the two halves of the columns are in separate lanes.
    isHalved = rows == 64 && !isPaired();
    int64_t halves = isHalved ? 2 : 1;
    width = std::min(columns / halves, kMaxTensorProductColumns);
    int64_t multiple = (isPaired() ? 16 : 8) *
                       (elementA->kind == NVVM::Tcgen05MMAKind::I8 ? 2 : 1);
    bool isWhole = isPaired() || isScaled() || op.getMetadata();
    if ((rows != 64 && rows != 128) || depth % step != 0 ||
        columns % (halves * width) != 0 || width % multiple != 0 ||
        (isWhole && columns > kMaxTensorProductColumns))
      return op.emitError("expected an MMA of 64 or 128 rows, a multiple of ")
             << step << " along k, and a multiple of " << halves * multiple
             << " columns" << (isWhole ? ", at most 256" : "") << ", got "
             << rows << " x " << depth << " x " << columns;
    if ((isScaled() && isHalved) || (op.getMetadata() && rows != 128))
      return op.emitError("expected 128 rows of a scaled or sparse MMA, got ")
             << rows;
    if (isScaled()) {
      int64_t count =
          cast<MemRefType>(op.getLhsScale().getType()).getDimSize(1);
      if (depth != count * scaleSpan)
        return op.emitError("expected a scale for each ")
               << scaleSpan << " elements along k, got one for "
               << depth / count;
    }
    return success();
  }

  /// An instruction for half of the columns begins at a panel of an operand
  /// that is contiguous along them.
  LogicalResult checkHalves() {
    int64_t panel = lowering.getView(op.getRhs()).storage->width;
    if (!isHalved || !rhs.isTransposed() || columns / 2 % panel == 0)
      return success();
    return op.emitError(
               "expected an MMA of 64 rows whose halves of the columns "
               "are panels of ")
           << panel << " columns, got " << columns << " columns";
  }

  LogicalResult analyzeLhs() {
    const View &view = lowering.getView(op.getLhs());
    if (view.storage->kind == Storage::Kind::Tensor) {
      lhsWindow.emplace(builder, view);
      if (rows != 128)
        return op.emitError("expected 128 rows of an operand in tensor memory, "
                            "got ")
               << rows;
      if (view.storage->tensor->packing *
              view.getElementType().getIntOrFloatBitWidth() !=
          32)
        return op.emitError(
            "expected an operand in tensor memory that is not an accumulator");
      return lhsWindow->analyze(op);
    }
    lhs.emplace(lowering, view, /*depthDim=*/1, MatrixUnit::Tcgen05);
    return lhs->analyze(op);
  }

  /// Factors or metadata, if any.
  LogicalResult analyzeOther(Value ref, std::optional<TensorWindow> &window) {
    if (!ref)
      return success();
    window.emplace(builder, lowering.getView(ref));
    return window->analyze(op);
  }

  void create() {
    Location loc = op.getLoc();
    Value accumulate = lowering.getScalar(op.getAccumulate());
    Value barrier;
    if (op.getBarrier())
      barrier =
          lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
    StringAttr axis = op.getCollectiveAttr();
    createForTensorCore(lowering, loc, axis, [&] {
      createAddresses(loc);
      Value isTrue =
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      for (int64_t column = 0; column < columns; column += width)
        for (int64_t k = 0; k < depth; k += step)
          createInstruction(loc, column, k, k == 0 ? accumulate : isTrue);
      if (barrier)
        createTensorCommit(lowering, loc, barrier, axis);
    });
  }

  void createAddresses(Location loc) {
    accAddress = accWindow.createAddress(loc);
    rhs.createBase(loc);
    if (lhs)
      lhs->createBase(loc);
    else
      lhsAddress = lhsWindow->createAddress(loc);
    if (metadata)
      metadataAddress = metadata->createAddress(loc);
    if (lhsScale) {
      lhsScaleAddress = lhsScale->createAddress(loc);
      rhsScaleAddress = rhsScale->createAddress(loc);
    }
  }

  /// The factors of a step are a byte of a word for each row or column.
  int64_t getScale(int64_t k) { return k / scaleSpan; }

  /// For 16-bit elements, the metadata of two steps is adjacent.
  int64_t getStepsOfMetadata() { return step == 32 ? 2 : 1; }

  Value createDescriptor(Location loc, int64_t k) {
    int64_t allRows = rows * (isPaired() ? 2 : 1);
    int64_t bits = int64_t(elementA->number) << 7 |
                   int64_t(elementB->number) << 10 |
                   int64_t(lhs && lhs->isTransposed()) << 15 |
                   int64_t(rhs.isTransposed()) << 16 | width / 8 << 17;
    if (op.getMetadata())
      bits |= 1 << 2;
    if (isScaled()) {
      int64_t byte = getScale(k) % kScalesOfWord;
      bits |= byte << 4 | int64_t(isPowerOfTwo) << 23 | allRows / 128 << 27 |
              byte << 29;
    } else {
      bits |= int64_t(*sumNumber) << 4 | allRows / 16 << 24;
      if (op.getMetadata())
        bits |= k / step % getStepsOfMetadata();
    }
    return createI32(builder, loc, bits);
  }

  Value createPointer(Location loc, TensorWindow &window, Value address,
                      int64_t column) {
    return createTensorPointer(
        builder, loc,
        window.createColumnAddress(loc, address,
                                   builder.getI32IntegerAttr(column)));
  }

  /// The scale factors of a step, after those of all rows for the earlier
  /// words.
  Value createScale(Location loc, Value ref, TensorWindow &window,
                    Value address, int64_t k) {
    const warpgroup::TensorMemoryLayout &layout =
        *lowering.getView(ref).storage->tensor;
    int64_t words = layout.shape.back() / kScalesOfWord;
    return createPointer(loc, window, address,
                         getScale(k) / kScalesOfWord *
                             (layout.getMatrixColumns() / words));
  }

  void createInstruction(Location loc, int64_t column, int64_t k,
                         Value accumulate) {
    int64_t half = isHalved ? columns / 2 : columns;
    Value sums =
        createPointer(loc, accWindow, accAddress,
                      (column / half * 16) << kTensorLaneShift | column % half);
    int64_t lhsDepth = k / getLhsSpan();
    Value a;
    if (lhs)
      a = lhs->createDescriptor(loc, /*outer=*/0, lhsDepth);
    else
      a = createPointer(
          loc, *lhsWindow, lhsAddress,
          lhsDepth / lowering.getView(op.getLhs()).storage->tensor->packing);
    Value b = rhs.createDescriptor(loc, column, k);
    Value descriptor = createDescriptor(loc, k);
    NVVM::CTAGroupKind group = getCtaGroup(isPaired());
    constexpr auto collector = NVVM::Tcgen05MMACollectorOp::DISCARD;
    auto blockScale = scaledKind == NVVM::MMABlockScaleKind::MXF4NVF4
                          ? NVVM::Tcgen05MMABlockScale::BLOCK16
                          : NVVM::Tcgen05MMABlockScale::DEFAULT;
    Value metadataPointer, scaleA, scaleB;
    if (metadata) {
      int64_t steps = getStepsOfMetadata();
      metadataPointer =
          createPointer(loc, *metadata, metadataAddress, k / step / steps * 2);
    }
    if (isScaled()) {
      scaleA =
          createScale(loc, op.getLhsScale(), *lhsScale, lhsScaleAddress, k);
      scaleB =
          createScale(loc, op.getRhsScale(), *rhsScale, rhsScaleAddress, k);
    }
    if (scaleA && metadataPointer)
      NVVM::Tcgen05MMASparseBlockScaleOp::create(
          builder, loc, *scaledKind, group, blockScale, collector, sums, a, b,
          descriptor, accumulate, metadataPointer, scaleA, scaleB);
    else if (scaleA)
      NVVM::Tcgen05MMABlockScaleOp::create(
          builder, loc, *scaledKind, group, blockScale, collector, sums, a, b,
          descriptor, accumulate, scaleA, scaleB);
    else if (metadataPointer)
      NVVM::Tcgen05MMASparseOp::create(builder, loc, elementA->kind, group,
                                       collector, /*aShift=*/false, sums, a, b,
                                       descriptor, accumulate, metadataPointer,
                                       /*scaleInputD=*/Value(),
                                       /*disableOutputLane=*/Value());
    else
      NVVM::Tcgen05MMAOp::create(builder, loc, elementA->kind, group, collector,
                                 /*aShift=*/false, sums, a, b, descriptor,
                                 accumulate, /*scaleInputD=*/Value(),
                                 /*disableOutputLane=*/Value());
  }

  warpgroup::Tcgen05MmaOp op;
  Lowering &lowering;
  OpBuilder &builder;
  const View &acc;
  TensorWindow accWindow;
  SharedMatrix rhs;
  /// The left operand is in shared or in tensor memory.
  std::optional<SharedMatrix> lhs;
  std::optional<TensorWindow> lhsWindow, lhsScale, rhsScale, metadata;
  Value accAddress, lhsAddress, lhsScaleAddress, rhsScaleAddress,
      metadataAddress;
  std::optional<TensorElement> elementA, elementB;
  std::optional<unsigned> sumNumber;
  /// The sizes of the MMA, and the depth and columns of one instruction.
  int64_t rows, columns, depth, step, width;
  /// The elements of the depth that share a factor, and the type of factors.
  int64_t scaleSpan = 0;
  bool isPowerOfTwo = false;
  std::optional<NVVM::MMABlockScaleKind> scaledKind;
  bool isHalved;
};

LogicalResult lowerTensorProduct(warpgroup::Tcgen05MmaOp op,
                                 Lowering &lowering) {
  return TensorProduct(op, lowering).lower();
}

} // namespace

void addTensorProductLowerings(Handlers &handlers) {
  handlers.add(lowerTensorProduct);
}

} // namespace gridir::warpgroup_to_nvvm
