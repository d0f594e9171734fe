//===- GridDialect.cpp - Registration of the grid dialect -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

#include "dialects/Grid/IR/GridDialect.cpp.inc"
#include "dialects/Grid/IR/GridEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Grid/IR/GridTypes.cpp.inc"

void GridDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Grid/IR/GridTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Grid/IR/GridOps.cpp.inc"
      >();
}

namespace {

/// A discardable attribute: the values that it may have, and their description.
struct AttributeRule {
  StringLiteral name;
  bool (*isValid)(Operation *op, Attribute value);
  StringLiteral expected;
};

template <typename AttrT> bool isOfKernel(Operation *op, Attribute value) {
  return isa<KernelOp>(op) && isa<AttrT>(value);
}

bool isMeshes(Operation *op, Attribute value) {
  auto meshes = dyn_cast<ArrayAttr>(value);
  return isa<KernelOp>(op) && meshes &&
         llvm::all_of(meshes, [](Attribute mesh) {
           auto shape = dyn_cast<DenseI64ArrayAttr>(mesh);
           return shape && !shape.empty() &&
                  llvm::all_of(shape.asArrayRef(),
                               [](int64_t extent) { return extent > 0; });
         });
}

bool isCount(Operation *op, Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return isa<KernelOp>(op) && count && count.getType().isSignlessInteger(64) &&
         count.getInt() > 0;
}

bool isBlockTest(Operation *op, Attribute value) {
  auto test = dyn_cast<DictionaryAttr>(value);
  return isa<KernelOp>(op) && test && test.size() == 2 &&
         test.getAs<DenseI64ArrayAttr>("dims") &&
         test.getAs<DenseI64ArrayAttr>("operands");
}

bool isChecks(Operation *op, Attribute value) {
  auto checks = dyn_cast<ArrayAttr>(value);
  return isa<KernelOp>(op) && checks &&
         llvm::all_of(checks, llvm::IsaPred<DictionaryAttr>);
}

/// The lists of arrays may be absent.
bool isOperands(Operation *op, Attribute value) {
  auto operands = dyn_cast<DictionaryAttr>(value);
  return isa<ModuleOp>(op) && operands &&
         llvm::all_of(
             ArrayRef<StringRef>{"index", "inputs", "outputs"},
             [&](StringRef name) {
               auto arrays = dyn_cast_or_null<ArrayAttr>(operands.get(name));
               return !operands.contains(name) ||
                      (arrays &&
                       llvm::all_of(arrays, llvm::IsaPred<OperandAttr>));
             });
}

bool isOfModule(Operation *op, Attribute value) {
  return isa<ModuleOp>(op) && isa<DictionaryAttr>(value);
}

bool isInitialResults(Operation *op, Attribute value) {
  auto kernel = dyn_cast<KernelOp>(op);
  auto values = dyn_cast<ArrayAttr>(value);
  if (!kernel || !values || values.size() != kernel.getOutputRefs().size())
    return false;
  return llvm::all_of(
      llvm::zip_equal(values, kernel.getOutputRefs()), [](auto pair) {
        auto [initial, ref] = pair;
        auto type = dyn_cast<MemRefType>(ref.getType());
        return isa<UnitAttr>(initial) ||
               (isa<IntegerAttr, FloatAttr>(initial) && type &&
                cast<TypedAttr>(initial).getType() == type.getElementType());
      });
}

template <typename AttrT> bool isOfAny(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

constexpr AttributeRule kRules[] = {
    {kTasksAttrName, isOfKernel<gridir::kernel::TasksAttr>,
     "a #kernel.tasks of a kernel"},
    {kDevicesAttrName, isCount, "a positive i64 of a kernel"},
    {kCoreTypeAttrName, isOfKernel<StringAttr>, "a string of a kernel"},
    {kMeshesAttrName, isMeshes, "arrays of positive i64 of a kernel"},
    {kOwnStateAttrName, isOfKernel<UnitAttr>, "a unit attribute of a kernel"},
    {kBlockTestAttrName, isBlockTest,
     "the arrays of i64 `dims` and `operands` of a kernel"},
    {kChecksAttrName, isChecks, "an array of dictionaries of a kernel"},
    {kMemoryPlanAttrName, isOfKernel<MemoryPlanAttr>,
     "a #grid.memory_plan of a kernel"},
    {kInitialResultsAttrName, isInitialResults,
     "a number or a unit attribute for each result of a kernel"},
    {kUnsignedAttrName, isOfAny<DenseI64ArrayAttr>, "an array of i64"},
    {kCopiedAttrName, isOfAny<UnitAttr>, "a unit attribute"},
    {kCopiedDimsAttrName, isOfAny<DenseI64ArrayAttr>, "an array of i64"},
    {kOperandsAttrName, isOperands,
     "arrays of #grid.operand by `index`, `inputs` and `outputs` of a module"},
    {kRunTimeChecksAttrName, isOfModule, "a dictionary of a module"},
    {kWithoutLayoutAttrName, isOfAny<UnitAttr>, "a unit attribute"},
};

} // namespace

LogicalResult GridDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  const auto *rule = llvm::find_if(kRules, [&](const AttributeRule &rule) {
    return rule.name == attribute.getName();
  });
  if (rule == std::end(kRules))
    return op->emitError("expected a known attribute of grid, got ")
           << attribute.getName();
  if (rule->isValid(op, attribute.getValue()))
    return success();
  return op->emitError("expected ")
         << rule->expected << " as " << rule->name << ", got "
         << attribute.getValue() << " of '" << op->getName() << "'";
}
