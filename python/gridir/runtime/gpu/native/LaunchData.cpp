//===- LaunchData.cpp - How a kernel is launched --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>

namespace json = llvm::json;

namespace gridir::cuda {

namespace {

/// As allocations of CUDA are.
constexpr int64_t kAlignment = 256;
constexpr int64_t kWordBytes = 8;
constexpr std::size_t kMaxRank = 5;

/// Reads members of objects; keeps the first that is missing or of another
/// type.
class Reader {
public:
  int64_t getInteger(const json::Object &object, llvm::StringRef name,
                     int64_t least = 0) {
    std::optional<int64_t> value = object.getInteger(name);
    if (!value || *value < least)
      fail(name, "an integer of at least " + std::to_string(least));
    return value.value_or(least);
  }

  std::string getString(const json::Object &object, llvm::StringRef name) {
    std::optional<llvm::StringRef> value = object.getString(name);
    if (!value)
      fail(name, "a string");
    return value.value_or("").str();
  }

  const json::Array &getArray(const json::Object &object,
                              llvm::StringRef name) {
    static const json::Array none;
    const json::Array *value = object.getArray(name);
    if (!value)
      fail(name, "an array");
    return value ? *value : none;
  }

  std::vector<int64_t> getIntegers(const json::Object &object,
                                   llvm::StringRef name) {
    std::vector<int64_t> result;
    for (const json::Value &value : getArray(object, name)) {
      std::optional<int64_t> integer = value.getAsInteger();
      if (!integer || *integer < 0)
        fail(name, "integers of at least 0");
      result.push_back(integer.value_or(0));
    }
    return result;
  }

  void fail(llvm::StringRef name, const std::string &expected) {
    if (error.empty())
      error = "expected " + expected + " as '" + name.str() + "' of a launch";
  }

  std::string error;
};

TensorMapData readMap(const json::Object &object, Reader &reader) {
  TensorMapData map;
  map.type = reader.getInteger(object, "cuda_type");
  map.swizzle = reader.getInteger(object, "cuda_swizzle");
  std::vector<int64_t> shape = reader.getIntegers(object, "shape"),
                       strides = reader.getIntegers(object, "strides"),
                       box = reader.getIntegers(object, "box");
  if (shape.empty() || shape.size() > kMaxRank ||
      strides.size() != shape.size() || box.size() != shape.size()) {
    reader.fail("shape", "1 to 5 sizes, with as many strides and sizes of a "
                         "box,");
    return map;
  }
  map.sizes.assign(shape.rbegin(), shape.rend());
  map.strides.assign(strides.rbegin() + 1, strides.rend());
  map.box.assign(box.rbegin(), box.rend());
  return map;
}

Parameter readParameter(const json::Object &object, Reader &reader,
                        int64_t &bytes) {
  using Kind = Parameter::Kind;
  Parameter parameter;
  std::string kind = reader.getString(object, "kind");
  if (kind == "operand") {
    parameter.operand = reader.getInteger(object, "operand");
  } else if (kind == "report") {
    parameter.kind = Kind::Report;
    // The number of a check and two values.
    bytes = kWordBytes * reader.getInteger(object, "words", /*least=*/3);
  } else if (kind == "scalar") {
    parameter.kind = Kind::Scalar;
    parameter.value = reader.getInteger(object, "value", INT64_MIN);
  } else if (kind == "num_items") {
    parameter.kind = Kind::NumItems;
  } else if (kind == "workspace") {
    parameter.kind = Kind::Workspace;
    bytes = reader.getInteger(object, "bytes");
  } else if (kind == "zeroed") {
    parameter.kind = Kind::Zeroed;
    bytes = reader.getInteger(object, "bytes");
  } else if (kind == "tensor_map") {
    parameter.kind = Kind::TensorMap;
    parameter.operand = reader.getInteger(object, "operand");
    parameter.map = readMap(object, reader);
  } else {
    reader.fail("kind",
                "operand, report, scalar, num_items, workspace, zeroed or "
                "tensor_map");
  }
  return parameter;
}

/// Places memory that must be zero first. The report of a kernel with checks is
/// in memory of the host; its place here is one that exported programs have.
void placeScratch(LaunchData &data, const std::vector<int64_t> &bytes) {
  auto place = [&](bool isZeroed) {
    for (auto [parameter, size] : llvm::zip_equal(data.parameters, bytes)) {
      Parameter::Kind kind = parameter.kind;
      bool isReport = kind == Parameter::Kind::Report;
      bool isWorkspace = kind == Parameter::Kind::Workspace;
      bool mustBeZero = kind == Parameter::Kind::Zeroed;
      if (!(mustBeZero || isReport || isWorkspace) || mustBeZero != isZeroed)
        continue;
      parameter.offset = data.scratchBytes;
      if (isReport && !data.diagnostics.empty())
        data.reportWords = size / kWordBytes;
      data.scratchBytes += llvm::alignTo(size, kAlignment);
    }
  };
  place(/*isZeroed=*/true);
  data.zeroedBytes = data.scratchBytes;
  place(/*isZeroed=*/false);
}

} // namespace

std::variant<LaunchData, std::string> parseLaunch(std::string_view text) {
  llvm::Expected<json::Value> value =
      json::parse(llvm::StringRef(text.data(), text.size()));
  if (!value)
    return "expected a launch as JSON: " + llvm::toString(value.takeError());
  const json::Object *object = value->getAsObject();
  if (!object)
    return "expected a launch as an object of JSON";
  Reader reader;
  LaunchData data;
  data.entry = reader.getString(*object, "entry");
  data.threads = reader.getInteger(*object, "threads", /*least=*/1);
  if (const json::Object *dynamic = object->getObject("dynamic_ctas")) {
    data.ctas = reader.getInteger(*dynamic, "factor");
    data.sizes = reader.getIntegers(*dynamic, "operands");
  } else {
    data.ctas = reader.getInteger(*object, "ctas");
  }
  data.clusterCtas = reader.getInteger(*object, "cluster_ctas", /*least=*/1);
  data.sharedBytes = reader.getInteger(*object, "shared_bytes");
  for (const json::Value &line : reader.getArray(*object, "diagnostics"))
    data.diagnostics.push_back(line.getAsString().value_or("").str());
  std::vector<int64_t> bytes;
  for (const json::Value &entry : reader.getArray(*object, "parameters")) {
    const json::Object *parameter = entry.getAsObject();
    if (!parameter) {
      reader.fail("parameters", "objects");
      break;
    }
    bytes.push_back(0);
    data.parameters.push_back(readParameter(*parameter, reader, bytes.back()));
    if (data.parameters.back().kind == Parameter::Kind::Operand ||
        data.parameters.back().kind == Parameter::Kind::TensorMap)
      data.numOperands =
          std::max(data.numOperands, data.parameters.back().operand + 1);
  }
  for (int64_t operand : data.sizes)
    data.numOperands = std::max(data.numOperands, operand + 1);
  for (auto [parameter, size] : llvm::zip_equal(data.parameters, bytes))
    if (parameter.kind == Parameter::Kind::Workspace && size &&
        !data.sizes.empty())
      reader.fail("bytes", "0 with a dynamic grid");
  if (!reader.error.empty())
    return reader.error;
  placeScratch(data, bytes);
  if (!data.diagnostics.empty() && !data.reportWords)
    return "expected a parameter 'report' of a launch with diagnostics";
  return data;
}

} // namespace gridir::cuda
