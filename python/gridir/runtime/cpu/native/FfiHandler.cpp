//===- FfiHandler.cpp - How XLA calls a kernel ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One custom-call target serves every kernel. The call carries the kernel's key
// and its module, never a pointer: an executable that is loaded in another
// process finds its kernel by the key, or compiles it from the module.
//
//===----------------------------------------------------------------------===//

#include "FfiHandler.h"

#include "Execute.h"
#include "KernelTable.h"
#include "PackedBuffers.h"

#include "xla/ffi/api/ffi.h"

#include <memory>

namespace ffi = xla::ffi;

namespace gridir::cpu {

namespace {

/// A call whose arrays have so few bytes takes, but for long loops over them,
/// less time than handing work to another thread.
constexpr std::size_t kBytesWorthThreads = 8 << 10;

/// What XLA keeps for one custom call of an executable.
struct CallState {
  static ffi::TypeId id;
  static ffi::TypeInfo info;

  const Kernel *kernel;
};

ffi::TypeId CallState::id = {};
ffi::TypeInfo CallState::info = ffi::MakeTypeInfo<CallState>();

std::string describe(const CompileFailure &failure) {
  std::string text = "kernel could not be compiled (" + failure.stage + ")";
  for (const Diagnostic &diagnostic : failure.diagnostics)
    text += "\n" + diagnostic.location + ": " + diagnostic.message;
  return text;
}

/// Runs once for each call of an executable, when it is compiled or loaded.
ffi::ErrorOr<std::unique_ptr<CallState>>
instantiate(std::string_view key, std::string_view module,
            std::string_view pipeline, int64_t optLevel, int64_t codegenLevel,
            std::string_view cpu, std::string_view features) {
  CompileOptions options;
  options.pipeline = std::string(pipeline);
  options.optLevel = optLevel;
  options.codegenLevel = codegenLevel;
  options.cpu = std::string(cpu);
  options.features = std::string(features);
  std::variant<ReadyKernel, CompileFailure> result =
      getKernel(key, module, options);
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return ffi::Unexpected(
        ffi::Error(ffi::ErrorCode::kInternal, describe(*failure)));
  auto state = std::make_unique<CallState>();
  state->kernel = std::get<ReadyKernel>(result).kernel;
  return state;
}

/// The bits of an element that shares its byte with others, or 0.
int getPackedBits(ffi::DataType type) {
  switch (type) {
  case ffi::DataType::S1:
  case ffi::DataType::U1:
    return 1;
  case ffi::DataType::S2:
  case ffi::DataType::U2:
    return 2;
  case ffi::DataType::S4:
  case ffi::DataType::U4:
  case ffi::DataType::F4E2M1FN:
    return 4;
  default:
    return 0;
  }
}

bool isSigned(ffi::DataType type) {
  return type == ffi::DataType::S1 || type == ffi::DataType::S2 ||
         type == ffi::DataType::S4;
}

/// The bytes of an array as the kernel sees it, one or more to an element.
int64_t getNumBytes(const ffi::AnyBuffer &buffer) {
  return getPackedBits(buffer.element_type()) ? buffer.element_count()
                                              : buffer.size_bytes();
}

ffi::Error execute(ffi::ThreadPool pool, CallState *state,
                   ffi::RemainingArgs arguments, ffi::RemainingRets results) {
  const Kernel &kernel = *state->kernel;
  std::size_t numBytes = 0;
  PackedBuffers packed;
  DeviceBuffers buffers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ffi::ErrorOr<ffi::AnyBuffer> buffer = arguments.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    void *data = buffer->untyped_data();
    ffi::DataType type = buffer->element_type();
    if (int bits = getPackedBits(type))
      data = packed.unpack(data, buffer->element_count(), bits, isSigned(type));
    buffers.data.push_back(data);
    buffers.sizes.push_back(getNumBytes(*buffer));
    numBytes += buffers.sizes.back();
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    ffi::ErrorOr<ffi::Result<ffi::AnyBuffer>> buffer =
        results.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    void *data = (*buffer)->untyped_data();
    ffi::DataType type = (*buffer)->element_type();
    if (int bits = getPackedBits(type))
      data = packed.unpackResult(data, (*buffer)->element_count(), bits,
                                 isSigned(type));
    buffers.data.push_back(data);
    buffers.sizes.push_back(getNumBytes(**buffer));
    numBytes += buffers.sizes.back();
  }
  if (static_cast<int64_t>(buffers.data.size()) != kernel.info.numOperands)
    return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                      "kernel `" + kernel.info.name + "` takes " +
                          std::to_string(kernel.info.numOperands) +
                          " buffers, got " +
                          std::to_string(buffers.data.size()));

  Threads threads;
  threads.count = numBytes <= kBytesWorthThreads ? 1 : pool.num_threads();
  threads.schedule = [&pool](std::function<void()> task) {
    pool.Schedule(std::move(task));
  };
  if (std::optional<std::string> message = runKernel(kernel, buffers, threads))
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, *message);
  packed.pack();
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(instantiateHandler, instantiate,
                       ffi::Ffi::BindInstantiate()
                           .Attr<std::string_view>("key")
                           .Attr<std::string_view>("module")
                           .Attr<std::string_view>("pipeline")
                           .Attr<int64_t>("opt_level")
                           .Attr<int64_t>("codegen_level")
                           .Attr<std::string_view>("cpu")
                           .Attr<std::string_view>("features"));

XLA_FFI_DEFINE_HANDLER(executeHandler, execute,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::ThreadPool>()
                           .Ctx<ffi::State<CallState>>()
                           .RemainingArgs()
                           .RemainingRets());

} // namespace

FfiTarget getFfiTarget() {
  return {reinterpret_cast<void *>(instantiateHandler),
          reinterpret_cast<void *>(executeHandler), &CallState::id,
          &CallState::info};
}

} // namespace gridir::cpu
