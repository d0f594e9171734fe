//===- Launch.cpp - How a kernel is launched on a GPU ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"
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
                              {"bytes", attr.getBytes() * ctas.value_or(0)}};
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
      {"parameters", std::move(params)},
      {"cluster_ctas", abi.getClusterCtas().value_or(1)},
      {"shared_bytes", *abi.getSharedBytes()},
      {"cancels_clusters", abi.getCancelsClusters()},
      {"packed_operands", std::move(packed)},
      {"updates_parts_of_words", abi.getUpdatesPartsOfWords()},
      {"register_products", abi.getRegisterProducts()},
      {"diagnostics", std::move(diagnostics)}};
}
