//===- FfiHandler.cpp - How XLA launches a kernel on a GPU ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call carries the kernel's code and how it is launched, never a pointer, so
// that an executable or an exported program also runs in another process. XLA
// calls three stages: `instantiate` when it makes an executable, `initialize`
// before each run on a device, in which modules are loaded, and `execute`,
// which only adds operations to XLA's stream.
//
// One target has the trait by which XLA may capture `execute` in a CUDA graph.
// The other serves kernels with checks: it waits for the kernel and reads their
// report, which a capture forbids.
//
// The last result of a call is memory for the kernel's temporaries and report,
// if it needs any.
//
//===----------------------------------------------------------------------===//

#include "FfiHandler.h"

#include "KernelCall.h"

#include "xla/ffi/api/ffi.h"

#include <memory>

namespace ffi = xla::ffi;

namespace gridir::cuda {

namespace {

struct CallState {
  static ffi::TypeId id;
  static ffi::TypeInfo info;

  KernelCall call;
};

ffi::TypeId CallState::id = {};
ffi::TypeInfo CallState::info = ffi::MakeTypeInfo<CallState>();

ffi::Error makeError(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
}

ffi::ErrorOr<std::unique_ptr<CallState>>
instantiate(std::string_view name, std::string_view image,
            std::string_view chip, int64_t leastDevice, int64_t lastDevice,
            std::string_view launch) {
  auto data = parseLaunch(launch);
  if (auto *reason = std::get_if<std::string>(&data))
    return ffi::Unexpected(
        makeError("kernel `" + std::string(name) + "`: " + *reason));
  return std::unique_ptr<CallState>(new CallState{
      {std::string(name), std::move(std::get<LaunchData>(data)),
       LoadedImage::get(image, chip, {leastDevice, lastDevice})}});
}

ffi::Error initialize(CallState *state) {
  if (std::optional<std::string> message = state->call.prepare())
    return makeError(*message);
  return ffi::Error::Success();
}

ffi::Error execute(void *stream, CallState *state, ffi::RemainingArgs arguments,
                   ffi::RemainingRets results) {
  const LaunchData &launch = state->call.getLaunch();
  std::vector<void *> operands;
  operands.reserve(arguments.size() + results.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ffi::ErrorOr<ffi::AnyBuffer> buffer = arguments.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    operands.push_back(buffer->untyped_data());
  }
  std::size_t lastBytes = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ffi::ErrorOr<ffi::Result<ffi::AnyBuffer>> buffer =
        results.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    operands.push_back((*buffer)->untyped_data());
    lastBytes = (*buffer)->size_bytes();
  }
  void *scratch = nullptr;
  const bool hasScratch = launch.scratchBytes > 0;
  if (hasScratch && results.size()) {
    scratch = operands.back();
    operands.pop_back();
  }
  if ((hasScratch &&
       lastBytes != static_cast<std::size_t>(launch.scratchBytes)) ||
      launch.numOperands > static_cast<int64_t>(operands.size()))
    return makeError(
        "expected a call with " + std::to_string(launch.numOperands) +
        " operands and a last result of " +
        std::to_string(launch.scratchBytes) + " bytes, got " +
        std::to_string(operands.size()) + " and " + std::to_string(lastBytes));
  if (std::optional<std::string> message =
          state->call.run(stream, operands, scratch))
    return makeError(*message);
  return ffi::Error::Success();
}

auto bindExecute() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::PlatformStream<void *>>()
      .Ctx<ffi::State<CallState>>()
      .RemainingArgs()
      .RemainingRets();
}

XLA_FFI_DEFINE_HANDLER(instantiateHandler, instantiate,
                       ffi::Ffi::BindInstantiate()
                           .Attr<std::string_view>("name")
                           .Attr<std::string_view>("image")
                           .Attr<std::string_view>("chip")
                           .Attr<int64_t>("least_device")
                           .Attr<int64_t>("last_device")
                           .Attr<std::string_view>("launch"));

XLA_FFI_DEFINE_HANDLER(
    initializeHandler,
    [](CallState *state, ffi::RemainingArgs, ffi::RemainingRets) {
      return initialize(state);
    },
    ffi::Ffi::BindInitialize()
        .Ctx<ffi::State<CallState>>()
        .RemainingArgs()
        .RemainingRets());

XLA_FFI_DEFINE_HANDLER(executeHandler, execute, bindExecute());

XLA_FFI_DEFINE_HANDLER(executeRecordedHandler, execute, bindExecute(),
                       {ffi::Traits::kCmdBufferCompatible});

} // namespace

FfiTarget getFfiTarget() {
  return {reinterpret_cast<void *>(instantiateHandler),
          reinterpret_cast<void *>(initializeHandler),
          reinterpret_cast<void *>(executeHandler),
          reinterpret_cast<void *>(executeRecordedHandler),
          &CallState::id,
          &CallState::info};
}

} // namespace gridir::cuda
