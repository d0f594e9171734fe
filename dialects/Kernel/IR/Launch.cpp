//===- Launch.cpp - How a kernel is launched on a GPU ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::kernel;
namespace json = llvm::json;

static json::Object describeTensorMap(TensorMapAttr map) {
  RankedTensorType tensor = map.getTensor();
  SmallVector<int64_t> strides(tensor.getRank(), 1);
  if (auto encoding = dyn_cast_if_present<ArrayAttr>(tensor.getEncoding())) {
    for (auto [stride, given] :
         llvm::zip(strides, encoding.getAsRange<IntegerAttr>()))
      stride = given.getInt();
  } else {
    for (int64_t d = tensor.getRank() - 2; d >= 0; --d)
      strides[d] = strides[d + 1] * tensor.getDimSize(d + 1);
  }
  Type element = tensor.getElementType();
  int64_t bits = isa<ComplexType>(element) ? 2 * cast<ComplexType>(element)
                                                     .getElementType()
                                                     .getIntOrFloatBitWidth()
                                           : element.getIntOrFloatBitWidth();
  for (int64_t &stride : strides)
    stride *= llvm::divideCeil(bits, 8);
  std::string dtype;
  llvm::raw_string_ostream(dtype) << element;
  return json::Object{{"kind", "tensor_map"},
                      {"operand", map.getOperand()},
                      {"dtype", dtype},
                      {"shape", json::Array(tensor.getShape())},
                      {"strides", json::Array(strides)},
                      {"box", json::Array(map.getBox())},
                      {"swizzle", map.getSwizzle()}};
}

/// Returns the number of the operand that holds `size`, a size of the grid that
/// is 0 where the operand is negative.
static std::optional<unsigned> getSizeOperand(Value size) {
  auto max = size.getDefiningOp<arith::MaxSIOp>();
  if (!max || !matchPattern(max.getRhs(), m_Zero()))
    return std::nullopt;
  auto cast = max.getLhs().getDefiningOp<arith::IndexCastOp>();
  auto load =
      cast ? cast.getIn().getDefiningOp<memref::LoadOp>() : memref::LoadOp();
  if (!load || load.getMemRefType().getRank() != 0 ||
      !load.getMemRefType().getElementType().isInteger(32))
    return std::nullopt;
  auto operand = dyn_cast<BlockArgument>(load.getMemRef());
  return operand ? std::optional(operand.getArgNumber()) : std::nullopt;
}

/// Describes the number of CTAs of a dynamic grid as a product of a constant
/// and of operands. Returns null if it is no such product.
static json::Value describeDynamicCtas(ABIOp abi) {
  // The entry may have another name than the function of the number of items.
  auto module = abi->getParentOfType<ModuleOp>();
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      (*functions.begin()).getNumResults() != 1 ||
      (*functions.begin()).isExternal())
    return nullptr;
  func::FuncOp range = *functions.begin();
  int64_t factor = 1;
  json::Array operands;
  SmallVector<Value> values = {
      range.getBody().front().getTerminator()->getOperand(0)};
  while (!values.empty()) {
    Value value = values.pop_back_val();
    APInt constant;
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      values.append({product.getRhs(), product.getLhs()});
    else if (matchPattern(value, m_ConstantInt(&constant)))
      factor *= constant.getSExtValue();
    else if (std::optional<unsigned> operand = getSizeOperand(value))
      operands.push_back(*operand);
    else
      return nullptr;
  }
  return json::Object{{"factor", factor}, {"operands", std::move(operands)}};
}

std::optional<json::Object> gridir::kernel::describeLaunch(ABIOp abi) {
  if (!abi.getNumThreads() || !abi.getSharedBytes() || abi.getParams().empty())
    return std::nullopt;
  std::optional<int64_t> ctas = abi.getNumCtas();
  auto describe = [&](Attribute param) -> json::Object {
    return TypeSwitch<Attribute, json::Object>(param)
        .Case([](OperandAttr attr) {
          return json::Object{{"kind", "operand"},
                              {"operand", attr.getOperand()}};
        })
        .Case([](ReportAttr attr) {
          return json::Object{{"kind", "report"}, {"words", attr.getWords()}};
        })
        .Case([](ScalarAttr attr) {
          return json::Object{{"kind", "scalar"}, {"value", attr.getValue()}};
        })
        .Case([](NumItemsAttr) { return json::Object{{"kind", "num_items"}}; })
        .Case([&](WorkspaceAttr attr) {
          return json::Object{{"kind", "workspace"},
                              {"bytes", attr.getBytes() * ctas.value_or(1)}};
        })
        .Case([](ZeroedAttr attr) {
          return json::Object{{"kind", "zeroed"}, {"bytes", attr.getBytes()}};
        })
        .Case([](TensorMapAttr attr) { return describeTensorMap(attr); });
  };
  json::Array params;
  for (Attribute param : abi.getParams())
    params.push_back(describe(param));
  json::Array packed, diagnostics;
  for (auto operand : abi.getPackedOperands().getAsRange<PackedAttr>())
    packed.push_back(json::Array{operand.getOperand(), operand.getCount()});
  for (auto text : abi.getDiagnostics().getAsRange<StringAttr>())
    diagnostics.push_back(json::fixUTF8(text.getValue()));
  return json::Object{
      {"entry", abi.getEntry()},
      {"threads", *abi.getNumThreads()},
      {"ctas", ctas ? json::Value(*ctas) : json::Value(nullptr)},
      {"dynamic_ctas", ctas ? json::Value(nullptr) : describeDynamicCtas(abi)},
      {"parameters", std::move(params)},
      {"cluster_ctas", abi.getClusterCtas().value_or(1)},
      {"shared_bytes", *abi.getSharedBytes()},
      {"cancels_clusters", abi.getCancelsClusters()},
      {"packed_operands", std::move(packed)},
      {"updates_parts_of_words", abi.getUpdatesPartsOfWords()},
      {"register_products", abi.getRegisterProducts()},
      {"diagnostics", std::move(diagnostics)}};
}
