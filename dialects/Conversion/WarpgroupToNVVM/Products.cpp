//===- Products.cpp - Products of the matrix unit -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedMatrix.h"
#include "dialects/Warpgroup/IR/Registers.h"

#include "dialects/Warpgroup/Layout/NamedLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

Registers createOpaque(OpBuilder &builder, Location loc,
                       ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    bool isFloat = value.getType().isF32();
    return createAssembly(builder, loc, value.getType(), value, "",
                          isFloat ? "=f,0" : "=r,0")
        .getResult(0);
  });
}

namespace {

/// The shape of one instruction: rows, and the maximum number of columns.
constexpr int64_t kRows = 64, kMaxColumns = 256;

/// The maximum number of columns of a panel of the right operand; a window does
/// not cross the end of a panel.
constexpr int64_t kPanelColumns = 64;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

std::optional<NVVM::WGMMATypes> getElementKind(Type type, bool isUnsigned) {
  if (type.isF16())
    return NVVM::WGMMATypes::f16;
  if (type.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (type.isF32())
    return NVVM::WGMMATypes::tf32;
  if (isa<Float8E4M3FNType>(type))
    return NVVM::WGMMATypes::e4m3;
  if (isa<Float8E5M2Type>(type))
    return NVVM::WGMMATypes::e5m2;
  if (type.isInteger(8))
    return isUnsigned ? NVVM::WGMMATypes::u8 : NVVM::WGMMATypes::s8;
  return std::nullopt;
}

/// Returns the accumulator type for products of an element type.
std::optional<NVVM::WGMMATypes> getSumKind(Type sum, Type element) {
  if (!isa<FloatType>(element))
    return sum.isInteger(32) ? std::optional(NVVM::WGMMATypes::s32)
                             : std::nullopt;
  if (sum.isF32())
    return NVVM::WGMMATypes::f32;
  bool hasHalves = element.isF16() || element.getIntOrFloatBitWidth() == 8;
  return sum.isF16() && hasHalves ? std::optional(NVVM::WGMMATypes::f16)
                                  : std::nullopt;
}

/// The most columns of one instruction, up to this number: any multiple of 8
/// for float accumulators, and above 32 a multiple of 16 for integers.
int64_t getWidth(int64_t columns, NVVM::WGMMATypes sum) {
  columns = std::min(columns, kMaxColumns);
  return sum == NVVM::WGMMATypes::s32 && columns > 32
             ? llvm::alignDown(columns, 16)
             : columns;
}

/// The registers of a part of an accumulator as one value.
Value createStruct(OpBuilder &builder, Location loc, ArrayRef<Value> variables,
                   Type type) {
  SmallVector<Type> types(variables.size(), type);
  Value result = LLVM::PoisonOp::create(
      builder, loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(), types));
  for (auto [i, variable] : llvm::enumerate(variables)) {
    Value value = LLVM::LoadOp::create(builder, loc, type, variable);
    result = LLVM::InsertValueOp::create(builder, loc, result, value,
                                         static_cast<int64_t>(i));
  }
  return result;
}

class Product {
public:
  Product(warpgroup::MmaOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        acc(lowering.getView(op.getAcc())),
        rhs(lowering, lowering.getView(op.getRhs()), /*depthDim=*/0,
            MatrixUnit::Wgmma) {}

  LogicalResult lower() {
    if (!lowering.chip.hasWgmma)
      return op.emitError("expected a chip that has wgmma, got ")
             << lowering.chip.name;
    auto accType = cast<MemRefType>(op.getAcc().getType());
    auto rhsType = cast<MemRefType>(op.getRhs().getType());
    Type element = rhsType.getElementType();
    rows = accType.getDimSize(0);
    columns = accType.getDimSize(1);
    depth = rhsType.getDimSize(0);
    std::optional<NVVM::WGMMATypes> kindA = getElementKind(
        getElementTypeOrSelf(op.getLhs().getType()), op.getUnsignedLhs());
    std::optional<NVVM::WGMMATypes> kindB =
        getElementKind(element, op.getUnsignedRhs());
    std::optional<NVVM::WGMMATypes> kindD =
        getSumKind(accType.getElementType(), element);
    if (!kindA || !kindB || !kindD)
      return op.emitError("expected an MMA that wgmma supports, got one of ")
             << op.getLhs().getType() << " and " << rhsType << " in "
             << accType;
    typeA = *kindA;
    typeB = *kindB;
    typeD = *kindD;
    step = kDepthBytes / (element.getIntOrFloatBitWidth() / 8);
    if (!llvm::equal(acc.dims, llvm::seq<int64_t>(0, 2)))
      return op.emitError(
                 "expected an accumulator that is not transposed, got ")
             << accType;
    // The window of the accumulator.
    firstRow = getConstantIntValue(acc.offsets[0]).value_or(-1);
    firstColumn = getConstantIntValue(acc.offsets[1]).value_or(-1);
    if (rows % kRows != 0 || columns % 8 != 0 || depth % step != 0 ||
        firstRow % kRows != 0 || firstColumn % 8 != 0 ||
        !acc.storage->distribution || acc.storage->distribution->isFlat())
      return op.emitError("expected an MMA of multiples of 64 x ")
             << step << " x 8 elements, got " << rows << " x " << depth << " x "
             << columns;
    if (failed(rhs.analyze(op)))
      return failure();
    if (isa<MemRefType>(op.getLhs().getType())) {
      lhs.emplace(lowering, lowering.getView(op.getLhs()), /*depthDim=*/1,
                  MatrixUnit::Wgmma);
      if (failed(lhs->analyze(op)))
        return failure();
    } else if (element.getIntOrFloatBitWidth() > 16) {
      return op.emitError("expected 8-bit or 16-bit elements of an operand in "
                          "registers, got ")
             << op.getLhs().getType();
    }
    create();
    return success();
  }

private:
  /// A part of the accumulator, of 64 rows and of as many columns as an
  /// instruction gives.
  struct Part {
    int64_t row, column, width;
    ArrayRef<Value> variables;
    bool isHeld;
    Value value;
  };

  void create() {
    Location loc = op.getLoc();
    rhs.createBase(loc, /*alone=*/!lhs);
    if (lhs)
      lhs->createBase(loc);
    else
      packLhs(loc);
    Type sum = getSumType();
    SmallVector<Part> parts = getParts();
    auto *inMemory =
        llvm::find_if(parts, [](const Part &part) { return !part.isHeld; });
    MutableArrayRef<Part> held =
        MutableArrayRef(parts).take_front(inMemory - parts.begin());
    if (!held.empty())
      add(loc, held);
    // The parts use the registers one after the other. MMAs of parts in
    // registers continue while the next part is loaded.
    for (Part &part : MutableArrayRef(parts).drop_front(held.size())) {
      add(loc, part);
      NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 0);
      store(loc, part, part.variables);
      store(loc, part,
            lowering.getMovedVariables(loc, sum).take_front(
                part.variables.size()));
    }
    for (const Part &part : held)
      store(loc, part, part.variables);
  }

  /// Those in registers first.
  SmallVector<Part> getParts() {
    const Storage &storage = *acc.storage;
    // Of each column of 64 rows a thread has half an element.
    int64_t ofVariable = 2 * storage.getElementsOfVariable();
    SmallVector<Part> parts;
    for (int64_t row = 0; row < rows; row += kRows)
      for (int64_t column = 0, width; column < columns; column += width) {
        int64_t first = ((firstRow + row) / kRows * storage.shape[1] +
                         firstColumn + column) /
                        ofVariable;
        bool isHeld = first < storage.numHeld;
        int64_t most = isHeld
                           ? (storage.numHeld - first) * ofVariable
                           : std::min(kPanelColumns - column % kPanelColumns,
                                      warpgroup::kMovedRegisters * ofVariable);
        width = getWidth(std::min(most, columns - column), typeD);
        parts.push_back(
            {row, column, width,
             ArrayRef(storage.variables).slice(first, width / ofVariable),
             isHeld, Value()});
      }
    llvm::stable_sort(parts, [](const Part &a, const Part &b) {
      return a.isHeld > b.isHeld;
    });
    return parts;
  }

  /// Returns the type of an accumulator register.
  Type getSumType() {
    return acc.storage->getElementsOfVariable() > 1 ? builder.getI32Type()
                                                    : acc.getElementType();
  }

  /// Starts a group of MMAs that accumulate into parts.
  void add(Location loc, MutableArrayRef<Part> parts) {
    Type sum = getSumType();
    for (Part &part : parts)
      part.value = part.isHeld ? createStruct(builder, loc, part.variables, sum)
                               : createMoved(loc, part.variables, sum);
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
    // The order of MMAs: all steps of one part first, or all parts of one step
    // first.
    int64_t numParts = parts.size(), numSteps = depth / step;
    bool isByPart = isLargeFromRegisters(parts);
    for (int64_t i = 0; i < numParts * numSteps; ++i) {
      Part &part = parts[isByPart ? i / numSteps : i % numParts];
      int64_t k = step * (isByPart ? i % numSteps : i / numParts);
      part.value = createInstruction(loc, part.value, part.row, part.column,
                                     part.width, k);
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  }

  /// True if accumulators take half of the registers of a thread, and the left
  /// operand is in registers too. If `ptxas` would spill, accumulators are
  /// moved between memory and registers at each MMA of another part.
  bool isLargeFromRegisters(ArrayRef<Part> parts) {
    int64_t numSums = 0;
    for (const Part &part : parts)
      numSums += part.variables.size();
    return !lhs && 2 * numSums >= warpgroup::getMaxRegisters(lowering.kernel,
                                                             lowering.chip);
  }

  void store(Location loc, const Part &part, ArrayRef<Value> variables) {
    for (auto [i, variable] : llvm::enumerate(variables))
      LLVM::StoreOp::create(
          builder, loc,
          LLVM::ExtractValueOp::create(builder, loc, part.value,
                                       static_cast<int64_t>(i)),
          variable);
  }

  /// Loads a part from local memory into the registers of another part.
  Value createMoved(Location loc, ArrayRef<Value> memory, Type type) {
    constexpr int64_t ofLoad = 4;
    auto local = LLVM::LLVMPointerType::get(
        builder.getContext(),
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Local));
    StringRef kind = type.isF32() ? "f" : "r";
    std::string constraints =
        llvm::formatv("={0},={0},={0},={0},0,1,2,3,l,~{{memory}", kind);
    Type words = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(ofLoad, type));
    ArrayRef<Value> variables =
        lowering.getMovedVariables(loc, type).take_front(memory.size());
    for (size_t i = 0; i < memory.size(); i += ofLoad) {
      SmallVector<Value> operands = llvm::map_to_vector(
          variables.slice(i, ofLoad), [&](Value variable) -> Value {
            return LLVM::LoadOp::create(builder, loc, type, variable);
          });
      operands.push_back(
          LLVM::AddrSpaceCastOp::create(builder, loc, local, memory[i]));
      Value loaded =
          createAssembly(builder, loc, words, operands,
                         "ld.local.v4.b32 {$0, $1, $2, $3}, [$8];", constraints)
              .getResult(0);
      for (int64_t word = 0; word < ofLoad; ++word)
        LLVM::StoreOp::create(
            builder, loc,
            LLVM::ExtractValueOp::create(builder, loc, loaded, word),
            variables[i + word]);
    }
    return createStruct(builder, loc, variables, type);
  }

  /// The left operand as registers of 32 bits.
  void packLhs(Location loc) {
    auto type = cast<RankedTensorType>(op.getLhs().getType());
    StringRef fragment =
        type.getElementTypeBitWidth() == 8 ? "wgmma_8bit" : "wgmma";
    Registers values = lowering.redistribute(
        loc, op.getLhs(),
        *Distribution::get(*warpgroup::getNamedLayout(fragment, std::nullopt),
                           type.getShape()));
    lhsWords = createOpaque(builder, loc, packWords(builder, loc, values));
  }

  Value createInstruction(Location loc, Value part, int64_t row, int64_t column,
                          int64_t width, int64_t k) {
    Value b = rhs.createDescriptor(loc, column, k);
    if (!lhs)
      return createFromRegisters(loc, part, b, row, width, k);
    auto layout = [](const SharedMatrix &matrix, bool isLhs) {
      // A left operand is by rows, a right one by columns, where the depth is
      // contiguous.
      return matrix.isTransposed() == isLhs ? NVVM::MMALayout::col
                                            : NVVM::MMALayout::row;
    };
    return NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, part.getType(), part, lhs->createDescriptor(loc, row, k),
        b, NVVM::MMAShapeAttr::get(builder.getContext(), kRows, width, step),
        typeA, typeB, typeD, NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
        NVVM::WGMMAScaleIn::one, layout(*lhs, /*isLhs=*/true),
        layout(rhs, /*isLhs=*/false), NVVM::MMAIntOverflowAttr());
  }

  /// Emits the form of the instruction that upstream's op lacks.
  Value createFromRegisters(Location loc, Value part, Value descriptor,
                            int64_t row, int64_t width, int64_t k) {
    lowering.hasRegisterProducts = true;
    auto sumTypes = cast<LLVM::LLVMStructType>(part.getType()).getBody();
    int64_t count = sumTypes.size();
    StringRef sumConstraint = sumTypes.front().isF32() ? "f" : "r";
    std::string text, sums = "{", constraints;
    llvm::raw_string_ostream os(text), sumStream(sums), list(constraints);
    SmallVector<Value> operands;
    for (int64_t i = 0; i < count; ++i) {
      sumStream << (i ? ", $" : "$") << i;
      list << (i ? ",=" : "=") << sumConstraint;
      operands.push_back(LLVM::ExtractValueOp::create(builder, loc, part, i));
    }
    sumStream << "}";
    for (int64_t i = 0; i < count; ++i)
      list << "," << i;
    int64_t first = 2 * count;
    os << "wgmma.mma_async.sync.aligned.m64n" << width << "k" << step << "."
       << NVVM::stringifyWGMMATypes(typeD) << "."
       << NVVM::stringifyWGMMATypes(typeA) << "."
       << NVVM::stringifyWGMMATypes(typeB) << " " << sums << ", {$" << first
       << ", $" << first + 1 << ", $" << first + 2 << ", $" << first + 3
       << "}, $" << first + 4 << ", 1";
    // Floats may be negated, and those of 16 bits by columns.
    if (typeD != NVVM::WGMMATypes::s32)
      os << ", 1, 1";
    if (rhs.getElementBits() == 16)
      os << ", " << rhs.isTransposed();
    os << ";";
    // Two registers of each tile; an instruction takes two tiles.
    int64_t tile = 2 * (row / kRows * depth + k) / step;
    for (int64_t i = 0; i < 4; ++i) {
      operands.push_back(lhsWords[2 * tile + i]);
      list << ",r";
    }
    operands.push_back(descriptor);
    list << ",l";
    return createAssembly(builder, loc, part.getType(), operands, text,
                          constraints)
        .getResult(0);
  }

  warpgroup::MmaOp op;
  Lowering &lowering;
  OpBuilder &builder;
  const View &acc;
  std::optional<SharedMatrix> lhs;
  SharedMatrix rhs;
  SmallVector<Value> lhsWords;
  int64_t rows, columns, depth, step, firstRow, firstColumn;
  NVVM::WGMMATypes typeA, typeB, typeD;
};

LogicalResult lowerMma(warpgroup::MmaOp op, Lowering &lowering) {
  return Product(op, lowering).lower();
}

LogicalResult lowerMmaWait(warpgroup::MmaWaitOp op, Lowering &lowering) {
  NVVM::WgmmaWaitGroupSyncOp::create(lowering.builder, op.getLoc(),
                                     op.getPending());
  return success();
}

} // namespace

void addProductLowerings(Handlers &handlers) {
  handlers.add(lowerMma);
  handlers.add(lowerMmaWait);
}

} // namespace gridir::warpgroup_to_nvvm
