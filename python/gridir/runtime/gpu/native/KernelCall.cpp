//===- KernelCall.cpp - A kernel as one call of XLA's has it --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCall.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdio>

namespace gridir::cuda {

namespace {

/// XLA passes the same few buffers repeatedly.
constexpr std::size_t kMaxMaps = 64;

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

template <typename T> std::string join(const std::vector<T> &values) {
  std::string text;
  for (const T &value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

} // namespace

std::string KernelCall::describe(const std::string &what) const {
  return "kernel `" + name + "` " + what;
}

std::string KernelCall::describeReports(const Driver &driver,
                                        Result result) const {
  return describe("has no memory for the report of its checks: " +
                  driver.describe(result));
}

std::optional<std::string> KernelCall::prepare() {
  auto opened = openDriver();
  if (auto *reason = std::get_if<std::string>(&opened))
    return describe("cannot be launched: " + *reason);
  const Driver &driver = *std::get<const Driver *>(opened);
  auto prepared = image->prepare(driver, launch);
  if (auto *reason = std::get_if<std::string>(&prepared))
    return describe(*reason);
  Context context = nullptr;
  driver.cuCtxGetCurrent(&context);
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[known, function] : functions)
    if (known == context)
      return std::nullopt;
  if (launch.reportWords)
    if (Result result = reports.add(driver, launch.reportWords))
      return describeReports(driver, result);
  functions.emplace_back(context, std::get<Function>(prepared));
  return std::nullopt;
}

std::variant<Function, std::string>
KernelCall::findFunction(const Driver &driver, Stream stream) {
  Context context = nullptr;
  if (Result result = driver.cuCtxGetCurrent(&context))
    return describe("got no current CUDA context: " + driver.describe(result));
  for (bool isSecond : {false, true}) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (auto &[known, function] : functions)
        if (known == context)
          return function;
    }
    // XLA prepares a call on each device before it runs there. Where it did
    // not, loading now is right unless a graph is captured, which loading
    // breaks.
    int isCapturing = 0;
    driver.cuStreamIsCapturing(stream, &isCapturing);
    if (isSecond || isCapturing)
      break;
    if (std::optional<std::string> error = prepare())
      return *error;
  }
  return describe("was not loaded on this device before a CUDA graph was "
                  "captured");
}

std::optional<std::string> KernelCall::encode(const Driver &driver,
                                              std::size_t index, void *address,
                                              TensorMap &map) {
  const TensorMapData &data = launch.parameters[index].map;
  // No copy finds a tile in a tensor without elements, and no map has one.
  if (std::find(data.sizes.begin(), data.sizes.end(), 0u) != data.sizes.end()) {
    map = {};
    return std::nullopt;
  }
  std::lock_guard<std::mutex> lock(mutex);
  for (const EncodedMap &known : maps)
    if (known.parameter == index && known.address == address) {
      map = known.map;
      return std::nullopt;
    }
  const uint32_t ones[] = {1, 1, 1, 1, 1};
  if (Result result = driver.cuTensorMapEncodeTiled(
          &map, data.type, data.sizes.size(), address, data.sizes.data(),
          data.strides.data(), data.box.data(), ones, /*interleave=*/0,
          data.swizzle, /*l2Promotion=*/0, /*oobFill=*/0)) {
    char hex[32];
    std::snprintf(hex, sizeof(hex), "%p", address);
    return describe("needs a tensor map of operand " +
                    std::to_string(launch.parameters[index].operand) + " at " +
                    hex + " with sizes " + join(data.sizes) + ", strides of " +
                    join(data.strides) + " bytes and a box of " +
                    join(data.box) +
                    ", innermost first: " + driver.describe(result));
  }
  EncodedMap encoded{index, address, map};
  if (maps.size() < kMaxMaps)
    maps.push_back(encoded);
  else
    maps[nextMap++ % kMaxMaps] = encoded;
  return std::nullopt;
}

std::variant<uint32_t, std::string>
KernelCall::countCtas(const Driver &driver, Stream stream,
                      const std::vector<void *> &operands) const {
  std::vector<int32_t> sizes(launch.sizes.size());
  Result result = kSuccess;
  for (std::size_t i = 0; i < sizes.size() && result == kSuccess; ++i)
    result = driver.cuMemcpyDtoHAsync(
        &sizes[i], reinterpret_cast<DevicePointer>(operands[launch.sizes[i]]),
        sizeof(int32_t), stream);
  if (result == kSuccess && !sizes.empty())
    result = driver.cuStreamSynchronize(stream);
  if (result != kSuccess)
    return describe("cannot read the sizes of its grid: " +
                    driver.describe(result));
  // A negative size is an empty grid.
  if (llvm::any_of(sizes, [](int32_t size) { return size <= 0; }))
    return 0u;
  int64_t ctas = launch.ctas;
  bool overflows = false;
  for (int32_t size : sizes)
    overflows |= __builtin_mul_overflow(ctas, int64_t{size}, &ctas);
  if (overflows || ctas > INT32_MAX)
    return describe("is launched with sizes " + join(sizes) +
                    ", which are more than 2147483647 CTAs");
  return static_cast<uint32_t>(ctas);
}

std::optional<std::string>
KernelCall::launchOn(const Driver &driver, Stream stream, Function function,
                     uint32_t ctas, void **values) const {
  LaunchAttribute cluster;
  cluster.id = kLaunchClusterDimension;
  cluster.value[0] = launch.clusterCtas;
  cluster.value[1] = cluster.value[2] = 1;
  const LaunchConfig config = {{ctas, 1, 1},
                               {static_cast<uint32_t>(launch.threads), 1, 1},
                               static_cast<uint32_t>(launch.sharedBytes),
                               stream,
                               &cluster,
                               launch.clusterCtas > 1 ? 1u : 0u};
  Result result = driver.cuLaunchKernelEx(&config, function, values, nullptr);
  if (result == kSuccess)
    return std::nullopt;
  return describe("cannot be launched with " + std::to_string(ctas) +
                  " CTAs of " + std::to_string(launch.threads) +
                  " threads, clusters of " +
                  std::to_string(launch.clusterCtas) + " and " +
                  std::to_string(launch.sharedBytes) +
                  " bytes of shared memory: " + driver.describe(result));
}

std::optional<std::string> KernelCall::readReport(const Driver &driver,
                                                  Stream stream,
                                                  const int64_t *report) const {
  Result result = driver.cuStreamSynchronize(stream);
  const int64_t number = report[0];
  if (!number)
    return result
               ? std::optional(describe("failed: " + driver.describe(result)))
               : std::nullopt;
  if (number < 0 || number > static_cast<int64_t>(launch.diagnostics.size()))
    return describe("failed check " + std::to_string(number));
  std::string text = replaceAll(launch.diagnostics[number - 1], "{0}",
                                std::to_string(report[1]));
  text = "kernel `" + name +
         "`: " + replaceAll(text, "{1}", std::to_string(report[2]));
  return result ? text + "; then the kernel failed: " + driver.describe(result)
                : text;
}

std::optional<std::string> KernelCall::run(Stream stream,
                                           const std::vector<void *> &operands,
                                           void *scratch) {
  if (!launch.ctas)
    return std::nullopt;
  auto opened = openDriver();
  if (auto *reason = std::get_if<std::string>(&opened))
    return describe("cannot be launched: " + *reason);
  const Driver &driver = *std::get<const Driver *>(opened);
  auto counted = countCtas(driver, stream, operands);
  if (auto *reason = std::get_if<std::string>(&counted))
    return *reason;
  const uint32_t ctas = std::get<uint32_t>(counted);
  if (!ctas)
    return std::nullopt;
  auto function = findFunction(driver, stream);
  if (auto *reason = std::get_if<std::string>(&function))
    return *reason;

  char *memory = static_cast<char *>(scratch);
  if (!launch.reportWords)
    return start(driver, stream, operands, memory, /*report=*/nullptr,
                 std::get<Function>(function), ctas);
  int64_t *report = nullptr;
  if (Result result = reports.take(driver, launch.reportWords, report))
    return describeReports(driver, result);
  std::optional<std::string> error =
      start(driver, stream, operands, memory, report,
            std::get<Function>(function), ctas);
  if (!error)
    error = readReport(driver, stream, report);
  reports.giveBack(report);
  return error;
}

std::optional<std::string>
KernelCall::start(const Driver &driver, Stream stream,
                  const std::vector<void *> &operands, char *memory,
                  int64_t *report, Function function, uint32_t ctas) {
  if (launch.zeroedBytes)
    if (Result result =
            driver.cuMemsetD8Async(reinterpret_cast<DevicePointer>(memory), 0,
                                   launch.zeroedBytes, stream))
      return describe("cannot clear " + std::to_string(launch.zeroedBytes) +
                      " bytes: " + driver.describe(result));

  const std::size_t count = launch.parameters.size();
  llvm::SmallVector<uint64_t, 32> words(count);
  llvm::SmallVector<void *, 32> values(count);
  llvm::SmallVector<TensorMap, 4> encoded(
      llvm::count_if(launch.parameters, [](const Parameter &parameter) {
        return parameter.kind == Parameter::Kind::TensorMap;
      }));
  std::size_t numEncoded = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter &parameter = launch.parameters[i];
    values[i] = &words[i];
    switch (parameter.kind) {
    case Parameter::Kind::Operand:
      words[i] = reinterpret_cast<uint64_t>(operands[parameter.operand]);
      break;
    case Parameter::Kind::Scalar:
      words[i] = parameter.value;
      break;
    case Parameter::Kind::NumItems:
      words[i] = ctas;
      break;
    case Parameter::Kind::Report:
      words[i] = reinterpret_cast<uint64_t>(report ? static_cast<void *>(report)
                                                   : memory + parameter.offset);
      break;
    case Parameter::Kind::Workspace:
    case Parameter::Kind::Zeroed:
      words[i] = reinterpret_cast<uint64_t>(memory + parameter.offset);
      break;
    case Parameter::Kind::TensorMap:
      values[i] = &encoded[numEncoded];
      if (std::optional<std::string> error = encode(
              driver, i, operands[parameter.operand], encoded[numEncoded++]))
        return error;
      break;
    }
  }
  return launchOn(driver, stream, function, ctas, values.data());
}

} // namespace gridir::cuda
