//===- WarpgroupDialect.cpp - Registration of the warpgroup dialect ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Warpgroup.h"

#include "dialects/Grid/IR/SingleKernel.h"
#include "dialects/Warpgroup/IR/Registers.h"
#include "dialects/Warpgroup/IR/SharedLayout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::warpgroup;

#include "dialects/Warpgroup/IR/WarpgroupDialect.cpp.inc"
#include "dialects/Warpgroup/IR/WarpgroupEnums.cpp.inc"
#include "dialects/Warpgroup/IR/WarpgroupInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupTypes.cpp.inc"

void WarpgroupDialect::initialize() {
  registerAttributes();
  registerMemorySpaces();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Warpgroup/IR/WarpgroupTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Warpgroup/IR/WarpgroupOps.cpp.inc"
      >();
}

/// Three numbers for each Ref of a scope.
static LogicalResult verifyUnions(Operation *op, Attribute value) {
  auto scope = dyn_cast<gridir::grid::ScopedOp>(op);
  auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
  int64_t count = scope ? scope.getBody().getNumArguments() : 0;
  if (!scope || !numbers || numbers.size() != 3 * count)
    return op->emitError("expected three i64 for each Ref of a scope as ")
           << kUnionsAttr << ", got " << value;
  for (auto [i, member] : llvm::enumerate(getUnionMembers(scope))) {
    if (!member)
      continue;
    Type type = scope.getBody().getArgument(i).getType();
    auto ref = dyn_cast<MemRefType>(type);
    if (!ref || isa<BarrierType>(ref.getElementType()))
      return op->emitError("expected arrays as members of unions, got ")
             << scope.getRefName(i) << " of " << type;
    if (member->number >= count || !llvm::isUInt<31>(member->offset) ||
        !llvm::isUInt<31>(member->size))
      return op->emitError("expected unions counted from 0, offsets and sizes "
                           "of 0 to 2^31 - 1, got ")
             << member->number << ", " << member->offset << " and "
             << member->size << " for " << scope.getRefName(i);
  }
  return success();
}

SmallVector<std::optional<UnionMember>>
gridir::warpgroup::getUnionMembers(gridir::grid::ScopedOp scope) {
  SmallVector<std::optional<UnionMember>> members(
      scope.getBody().getNumArguments());
  if (auto numbers = scope->getAttrOfType<DenseI64ArrayAttr>(kUnionsAttr))
    for (auto [i, member] : llvm::enumerate(members))
      if (numbers[3 * i] >= 0)
        member =
            UnionMember{numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  return members;
}

FailureOr<gridir::grid::KernelOp>
gridir::warpgroup::getSingleProgram(ModuleOp module) {
  FailureOr<grid::KernelOp> kernel = grid::getSingleKernel(module);
  if (succeeded(kernel) && *kernel && (*kernel)->hasAttr(kMappedAttr))
    return grid::KernelOp();
  return kernel;
}

namespace {

/// A discardable attribute: the values that it may have, and their description.
struct AttributeRule {
  StringLiteral name;
  bool (*isValid)(Operation *op, Attribute value);
  StringLiteral expected;
};

template <typename AttrT> bool isOfAny(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

bool isOffsets(Operation *op, Attribute value) {
  return isa<gridir::grid::ScopedOp>(op) && isa<DenseI64ArrayAttr>(value);
}

bool isCount(Operation *, Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return count && count.getType().isSignlessInteger(64) && count.getInt() >= 0;
}

constexpr AttributeRule kRules[] = {
    {kOffsetsAttr, isOffsets, "an array of i64 of a scope"},
    {kMappedAttr, isOfAny<UnitAttr>, "a unit attribute"},
    {kScheduleAttr, isOfAny<ScheduleAttr>, "a #warpgroup.schedule"},
    {kSharedBytesAttr, isCount, "an i64 that is no less than 0"},
    {kTensorColumnsAttr, isCount, "an i64 that is no less than 0"},
    {kScratchBytesAttr, isCount, "an i64 that is no less than 0"},
    {kUpdateAttr, isOfAny<UnitAttr>, "a unit attribute"},
};

} // namespace

LogicalResult
WarpgroupDialect::verifyOperationAttribute(Operation *op,
                                           NamedAttribute attribute) {
  StringAttr name = attribute.getName();
  if (name == kUnionsAttr)
    return verifyUnions(op, attribute.getValue());
  if (name == kSharedLayoutsAttr)
    return verifySharedLayouts(op, attribute.getValue());
  if (name == kHeldRegistersAttr)
    return verifyHeldRegisters(op, attribute.getValue());
  const auto *rule = llvm::find_if(
      kRules, [&](const AttributeRule &rule) { return rule.name == name; });
  if (rule == std::end(kRules))
    return op->emitError("expected a known attribute of warpgroup, got ")
           << name;
  if (rule->isValid(op, attribute.getValue()))
    return success();
  return op->emitError("expected ")
         << rule->expected << " as " << name << ", got " << attribute.getValue()
         << " of '" << op->getName() << "'";
}

//===----------------------------------------------------------------------===//
// BarrierType
//===----------------------------------------------------------------------===//

/// The axes of a cluster that count as one: a name, or several in brackets.
static ParseResult parseAxes(AsmParser &parser,
                             SmallVectorImpl<ArrayAttr> &cluster) {
  SmallVector<Attribute> axes;
  auto parseName = [&] {
    StringAttr name;
    ParseResult result = parser.parseAttribute(name);
    axes.push_back(name);
    return result;
  };
  if (parser.parseOptionalLSquare()) {
    if (parseName())
      return failure();
  } else if (parser.parseCommaSeparatedList(parseName) ||
             parser.parseRSquare()) {
    return failure();
  }
  cluster.push_back(ArrayAttr::get(parser.getContext(), axes));
  return success();
}

/// `<` arrivals (`,` `tensor_core`)? (`,` `cluster` `=` `[` axes `]`)?
/// (`,` `leader_tracked`)? `>`
Type BarrierType::parse(AsmParser &parser) {
  int64_t arrivals = 0;
  bool ordersTensorCore = false, leaderTracked = false;
  SmallVector<ArrayAttr> cluster;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(arrivals))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "tensor_core") {
      ordersTensorCore = true;
    } else if (keyword == "leader_tracked") {
      leaderTracked = true;
    } else if (keyword == "cluster") {
      if (parser.parseEqual() ||
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
            return parseAxes(parser, cluster);
          }))
        return {};
    } else {
      parser.emitError(keywordLoc, "expected tensor_core, cluster or "
                                   "leader_tracked of a barrier, got ")
          << keyword;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BarrierType>(loc, parser.getContext(), arrivals,
                                        ordersTensorCore, cluster,
                                        leaderTracked);
}

void BarrierType::print(AsmPrinter &printer) const {
  printer << '<' << getArrivals();
  if (getOrdersTensorCore())
    printer << ", tensor_core";
  if (!getCluster().empty()) {
    printer << ", cluster = [";
    llvm::interleaveComma(getCluster(), printer, [&](ArrayAttr axes) {
      printer << (axes.size() == 1 ? axes[0] : Attribute(axes));
    });
    printer << ']';
  }
  if (getLeaderTracked())
    printer << ", leader_tracked";
  printer << '>';
}

LogicalResult BarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t arrivals, bool ordersTensorCore,
                                  ArrayRef<ArrayAttr> cluster,
                                  bool leaderTracked) {
  if (arrivals < 1)
    return emitError() << "expected a barrier of one arrival or more, got "
                       << arrivals;
  if (leaderTracked && cluster.empty())
    return emitError() << "expected cluster axes of a barrier that the leader "
                          "tracks, got none";
  return success();
}
