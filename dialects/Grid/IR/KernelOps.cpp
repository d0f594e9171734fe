//===- KernelOps.cpp - Accessors and verifiers of the kernel -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "dialects/Grid/IR/RefList.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "dialects/Support/CountableTypes.h"
#include "dialects/Support/ReshapeGroups.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::grid;

//===----------------------------------------------------------------------===//
// KernelOp: accessors
//===----------------------------------------------------------------------===//

unsigned KernelOp::getNumDynamicDims() {
  return llvm::count_if(getDims().getAsRange<DimAttr>(),
                        [](DimAttr dim) { return dim.isDynamic(); });
}

SmallVector<int64_t> KernelOp::getGridShape() {
  return llvm::map_to_vector(getDims().getAsRange<DimAttr>(),
                             [](DimAttr dim) { return dim.getSize(); });
}

unsigned KernelOp::getNumScratch() {
  return getBodyBlock()->getNumArguments() - getNumOperandSpecs();
}

OperandAttr KernelOp::getOperandSpec(unsigned i) {
  for (ArrayAttr specs : {getIndexOperands(), getInputs(), getOutputs()}) {
    if (i < specs.size())
      return cast<OperandAttr>(specs[i]);
    i -= specs.size();
  }
  llvm_unreachable("operand number out of range");
}

void KernelOp::setOperandSpec(unsigned i, OperandAttr spec) {
  Builder builder(getContext());
  for (StringAttr name : {getIndexOperandsAttrName(), getInputsAttrName(),
                          getOutputsAttrName()}) {
    SmallVector<Attribute> specs(
        (*this)->getAttrOfType<ArrayAttr>(name).getValue());
    if (i < specs.size()) {
      specs[i] = spec;
      return (*this)->setAttr(name, builder.getArrayAttr(specs));
    }
    i -= specs.size();
  }
  llvm_unreachable("operand number out of range");
}

std::string KernelOp::getOperandName(unsigned i) {
  OperandAttr spec = getOperandSpec(i);
  unsigned number = i;
  for (auto [kind, specs] :
       {std::pair<StringRef, ArrayAttr>("index", getIndexOperands()),
        std::pair<StringRef, ArrayAttr>("inputs", getInputs()),
        std::pair<StringRef, ArrayAttr>("outputs", getOutputs())}) {
    if (number < specs.size())
      return spec.getName((kind + "[" + Twine(number) + "]").str());
    number -= specs.size();
  }
  llvm_unreachable("operand number out of range");
}

std::string KernelOp::getRefName(unsigned i) {
  return i < getNumOperandSpecs()
             ? getOperandName(i)
             : getOrigin(getScratchOriginsAttr(), i - getNumOperandSpecs(),
                         "scratch");
}

Block::BlockArgListType KernelOp::getIndexRefs() {
  return getBodyBlock()->getArguments().take_front(getNumIndexOperands());
}
Block::BlockArgListType KernelOp::getInputRefs() {
  return getBodyBlock()->getArguments().slice(getNumIndexOperands(),
                                              getNumInputs());
}
Block::BlockArgListType KernelOp::getOutputRefs() {
  return getBodyBlock()->getArguments().slice(
      getNumIndexOperands() + getNumInputs(), getNumOutputs());
}
Block::BlockArgListType KernelOp::getScratchRefs() {
  return getBodyBlock()->getArguments().drop_front(getNumOperandSpecs());
}

BlockArgument KernelOp::addScratchRef(MemRefType type, Location loc,
                                      StringRef origin) {
  SmallVector<Attribute> origins(getNumScratch(),
                                 StringAttr::get(getContext(), ""));
  if (getScratchOrigins())
    llvm::copy(getScratchOriginsAttr(), origins.begin());
  origins.push_back(StringAttr::get(getContext(), origin));
  setScratchOriginsAttr(ArrayAttr::get(getContext(), origins));
  return getBodyBlock()->addArgument(type, loc);
}

std::optional<AffineMap> KernelOp::getAffineIndexMap(unsigned i) {
  return readAffineIndexMap(getIndexMap(i), getGridShape());
}

DimSemantics KernelOp::getDimSemantics(unsigned i) {
  return getSemantics()
             ? cast<DimSemanticsAttr>(getSemanticsAttr()[i]).getValue()
             : DimSemantics::Arbitrary;
}

SmallVector<std::pair<int64_t, int64_t>> KernelOp::getAliasPairs() {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (getAliases())
    for (auto alias : getAliasesAttr().getAsRange<DenseI64ArrayAttr>())
      pairs.emplace_back(alias[0], alias[1]);
  return pairs;
}

bool KernelOp::isAliasedInPlace(unsigned i) {
  if (getFunctionalAliases())
    return false;
  int64_t firstOutput = getNumIndexOperands() + getNumInputs();
  return llvm::any_of(getAliasPairs(), [&](auto pair) {
    return pair.first == i || firstOutput + pair.second == i;
  });
}

SmallVector<Type> KernelOp::getCallOperandTypes() {
  SmallVector<Type> types(getNumDynamicDims(),
                          IntegerType::get(getContext(), 32));
  for (ArrayAttr specs : {getIndexOperands(), getInputs()})
    for (OperandAttr spec : specs.getAsRange<OperandAttr>())
      types.push_back(spec.getArrayType());
  return types;
}

SmallVector<Type> KernelOp::getCallResultTypes() {
  return llvm::map_to_vector(
      getOutputs().getAsRange<OperandAttr>(),
      [](OperandAttr spec) -> Type { return spec.getArrayType(); });
}

std::optional<unsigned> KernelOp::findDim(Attribute axis) {
  if (auto number = dyn_cast<IntegerAttr>(axis)) {
    int64_t i = number.getInt();
    return i >= 0 && i < getRank() ? std::optional<unsigned>(i) : std::nullopt;
  }
  for (unsigned i = 0; i < getRank(); ++i)
    if (getDim(i).getName() == axis)
      return i;
  return std::nullopt;
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  // The printer also asks about kernels that do not verify.
  if (&region != &getBodyRegion() ||
      region.getNumArguments() < getNumOperandSpecs())
    return;
  bool named = getScratchOrigins() &&
               getScratchOrigins()->size() ==
                   region.getNumArguments() - getNumOperandSpecs();
  for (BlockArgument arg : region.getArguments()) {
    unsigned i = arg.getArgNumber(), numSpecs = getNumOperandSpecs();
    std::string name;
    if (i < numSpecs)
      name = getIdentifier(getOperandSpec(i).getName(""));
    else if (named)
      name = getIdentifier(
          cast<StringAttr>(getScratchOriginsAttr()[i - numSpecs]));
    if (!name.empty())
      setName(arg, name);
  }
}

//===----------------------------------------------------------------------===//
// KernelOp: verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyDims(KernelOp kernel) {
  int64_t programs = 1;
  for (auto [i, size] : llvm::enumerate(kernel.getGridShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    // A program id is an i32.
    if (size > std::numeric_limits<int32_t>::max())
      return kernel.emitOpError("expected dimension ")
             << i << " of the grid to have at most "
             << std::numeric_limits<int32_t>::max() << " programs, got "
             << size;
    if (llvm::MulOverflow(programs, std::max<int64_t>(size, 1), programs))
      return kernel.emitOpError("expected a grid of less than 2^63 programs");
  }
  for (auto [i, dim] : llvm::enumerate(kernel.getDims().getAsRange<DimAttr>()))
    if (dim.getKind() != DimKind::Grid && dim.getSize() == 0)
      return kernel.emitOpError("expected dimension ")
             << i << " of kind " << stringifyDimKind(dim.getKind())
             << " to have a size of at least 1, got 0";
  llvm::StringSet<> names;
  for (auto [i, dim] : llvm::enumerate(kernel.getDims().getAsRange<DimAttr>()))
    if (dim.getName() && !names.insert(dim.getName().getValue()).second)
      return kernel.emitOpError("expected distinct dimension names, got ")
             << dim.getName() << " again at dimension " << i;
  if (kernel.getSemantics() &&
      kernel.getSemanticsAttr().size() != kernel.getRank())
    return kernel.emitOpError("expected semantics for ")
           << kernel.getRank() << " dimensions, got "
           << kernel.getSemanticsAttr().size();
  return success();
}

static LogicalResult verifyAliases(KernelOp kernel) {
  if (!kernel.getAliases()) {
    if (kernel.getFunctionalAliases())
      return kernel.emitOpError("expected aliases that are functional, got "
                                "no aliases");
    return success();
  }
  int64_t numIndex = kernel.getNumIndexOperands();
  int64_t numOperands = numIndex + kernel.getNumInputs(),
          numOutputs = kernel.getNumOutputs();
  llvm::SmallBitVector usedOperands(numOperands), usedOutputs(numOutputs);
  for (Attribute attr : kernel.getAliasesAttr()) {
    auto alias = dyn_cast<DenseI64ArrayAttr>(attr);
    if (!alias || alias.size() != 2)
      return kernel.emitOpError(
                 "expected an alias to be a pair of numbers, got ")
             << attr;
    int64_t operand = alias[0], output = alias[1];
    if (operand < 0 || operand >= numOperands)
      return kernel.emitOpError("expected an aliased operand below ")
             << numOperands << ", got " << operand;
    if (output < 0 || output >= numOutputs)
      return kernel.emitOpError("expected an aliased output below ")
             << numOutputs << ", got " << output;
    if (usedOperands.test(operand) || usedOutputs.test(output))
      return kernel.emitOpError(
                 "expected each operand and output in at most one alias, got ")
             << operand << " -> " << output << " as another";
    usedOperands.set(operand);
    usedOutputs.set(output);
    OperandAttr from = kernel.getOperandSpec(operand);
    OperandAttr to = kernel.getOperandSpec(numOperands + output);
    if (from.getShape() != to.getShape() ||
        from.getElementType() != to.getElementType())
      return kernel.emitOpError("expected aliased arrays of one type, got ")
             << kernel.getOperandName(operand) << " of " << from.getArrayType()
             << " and " << kernel.getOperandName(numOperands + output) << " of "
             << to.getArrayType();
  }
  return success();
}

static LogicalResult verifyParams(KernelOp kernel) {
  if (!kernel.getParams())
    return success();
  llvm::SmallDenseSet<TypeID> kinds;
  // The author of the parameters does not see the dimensions that vmap makes.
  size_t numDims =
      llvm::count_if(kernel.getDims().getAsRange<DimAttr>(),
                     [](DimAttr dim) { return !dim.getVmapped(); });
  for (Attribute params : kernel.getParamsAttr()) {
    auto record = dyn_cast<ParamsAttrInterface>(params);
    if (!record)
      return kernel.emitOpError(
                 "expected compiler parameters of a backend, got ")
             << params;
    if (!kinds.insert(params.getTypeID()).second)
      return kernel.emitOpError(
                 "expected one record of parameters for each backend, got ")
             << params << " as another";
    ArrayAttr semantics = record.getDimensionClaims();
    if (semantics && semantics.size() != numDims)
      return kernel.emitOpError("expected dimension_semantics for ")
             << numDims << " dimensions, got " << semantics.size();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  // Verified before the ops of the body, since these count elements.
  if (failed(gridir::verifyCountableTypes(*this)))
    return failure();
  for (OperandAttr spec : getIndexOperands().getAsRange<OperandAttr>())
    if (!spec.getBlock().empty())
      return emitOpError("expected index operand ")
             << spec.getName("") << " without a block";
  unsigned numRegions = 1 + getNumInputs() + getNumOutputs();
  if (getKernelRegions().size() != numRegions)
    return emitOpError(
               "expected a body and an index map for each input and output, ")
           << numRegions << " regions, got " << getKernelRegions().size();
  if (failed(verifyDims(*this)) || failed(verifyAliases(*this)))
    return failure();
  return verifyParams(*this);
}

static LogicalResult verifyBody(KernelOp kernel) {
  Block *body = kernel.getBodyBlock();
  unsigned numSpecs = kernel.getNumOperandSpecs();
  if (body->getNumArguments() < numSpecs)
    return kernel.emitOpError("expected the body to take at least ")
           << numSpecs << " Refs, got " << body->getNumArguments();
  for (unsigned i = 0; i < numSpecs; ++i) {
    Type expected = kernel.getOperandSpec(i).getRefType(),
         type = body->getArgument(i).getType();
    if (type != expected)
      return kernel.emitOpError("expected ")
             << kernel.getOperandName(i) << " to be a Ref of type " << expected
             << ", got " << type;
  }
  for (auto [i, arg] : llvm::enumerate(kernel.getScratchRefs())) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return kernel.emitOpError("expected scratch ")
             << i << " to be a Ref of static shape and identity layout, got "
             << arg.getType();
    if (!isRefElementType(type.getElementType()))
      return kernel.emitOpError("expected scratch ")
             << i << " to hold numbers or semaphores, got " << type;
  }
  if (failed(verifyOrigins(kernel, kernel.getNumScratch(),
                           kernel.getScratchOriginsAttr())))
    return failure();
  auto yield = dyn_cast<YieldOp>(body->getTerminator());
  if (!yield || !yield.getValues().empty())
    return kernel.emitOpError(
        "expected the body to end in grid.yield without values");
  return success();
}

static LogicalResult verifyIndexMap(KernelOp kernel, unsigned i) {
  Block &block = kernel.getIndexMap(i).front();
  unsigned rank = kernel.getRank(), numIndex = kernel.getNumIndexOperands();
  unsigned operandNumber = numIndex + i;
  auto emitError = [&] {
    return kernel.emitOpError("expected the index map of ")
           << kernel.getOperandName(operandNumber);
  };
  if (block.getNumArguments() != rank + numIndex)
    return emitError() << " to take " << rank << " program ids and " << numIndex
                       << " index operands, got " << block.getNumArguments()
                       << " arguments";
  for (unsigned d = 0; d < rank; ++d)
    if (!block.getArgument(d).getType().isInteger(32))
      return emitError() << " to take program id " << d << " as i32, got "
                         << block.getArgument(d).getType();
  for (unsigned s = 0; s < numIndex; ++s) {
    Type expected = kernel.getOperandSpec(s).getRefType();
    if (block.getArgument(rank + s).getType() != expected)
      return emitError() << " to take " << kernel.getOperandName(s) << " as "
                         << expected << ", got "
                         << block.getArgument(rank + s).getType();
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitError() << " to end in grid.yield";
  unsigned numIndices = kernel.getOperandSpec(operandNumber).getNumIndices();
  if (yield.getValues().size() != numIndices)
    return emitError() << " to give " << numIndices << " indices, got "
                       << yield.getValues().size();
  SmallVector<bool> isIndirect;
  for (BlockDimAttr dim : kernel.getOperandSpec(operandNumber).getBlockDims())
    isIndirect.append(dim.getNumIndices(),
                      dim.getKind() == BlockKind::Indirect);
  for (auto [j, type] : llvm::enumerate(yield.getValues().getTypes()))
    if (!isIndirect[j] && !type.isInteger(32) && !type.isInteger(64))
      return emitError() << " to return i32 or i64, got " << type
                         << " for index " << j;
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyBody(*this)) || failed(verifyReshapeGroups(*this)))
    return failure();
  for (unsigned i = 0, e = getNumInputs() + getNumOutputs(); i < e; ++i)
    if (failed(verifyIndexMap(*this, i)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// ProgramIdOp and NumProgramsOp
//===----------------------------------------------------------------------===//

static ParseResult parseAxis(OpAsmParser &parser, OperationState &result) {
  int64_t number = 0;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  Builder &builder = parser.getBuilder();
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    result.addAttribute("axis", builder.getI64IntegerAttr(number));
  } else {
    StringAttr name;
    if (parser.parseAttribute(name, "axis", result.attributes))
      return failure();
  }
  result.addTypes(builder.getI32Type());
  return parser.parseOptionalAttrDict(result.attributes);
}

static void printAxis(OpAsmPrinter &printer, Operation *op, Attribute axis) {
  printer << ' ';
  if (auto number = dyn_cast<IntegerAttr>(axis))
    printer << number.getInt();
  else
    printer << axis;
  printer.printOptionalAttrDict(op->getAttrs(), {"axis"});
}

/// An axis must be one of the surrounding kernel's; outside of a kernel, where
/// passes may put the op for a while, nothing can be said.
static LogicalResult verifyAxis(Operation *op, Attribute axis) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || kernel.findDim(axis))
    return success();
  if (isa<StringAttr>(axis))
    return op->emitOpError("expected the name of a grid dimension, got ")
           << axis;
  return op->emitOpError("expected a grid dimension below ")
         << kernel.getRank() << ", got " << cast<IntegerAttr>(axis).getInt();
}

ParseResult ProgramIdOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseAxis(parser, result);
}
void ProgramIdOp::print(OpAsmPrinter &printer) {
  printAxis(printer, *this, getAxis());
}
LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }

ParseResult NumProgramsOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseAxis(parser, result);
}
void NumProgramsOp::print(OpAsmPrinter &printer) {
  printAxis(printer, *this, getAxis());
}
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }
