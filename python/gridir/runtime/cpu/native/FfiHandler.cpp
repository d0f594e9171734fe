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
// A second target serves kernels whose programs access other devices: its last
// argument is the number of the device, and it completes when all devices have
// called.
//
//===----------------------------------------------------------------------===//

#include "FfiHandler.h"

#include "CheckReport.h"
#include "Execute.h"
#include "KernelTable.h"
#include "PackedBuffers.h"
#include "Rendezvous.h"
#include "SanitizedHandover.h"

#include "xla/ffi/api/ffi.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

namespace ffi = xla::ffi;

namespace gridir::cpu {

namespace {

/// Calls with fewer bytes than this usually take less time than passing work to
/// another thread.
constexpr std::size_t kBytesWorthThreads = 8 << 10;

/// Of an element that is copied as it is.
constexpr int kBitsOfByte = 8;

/// XLA's state of one custom call of an executable.
struct CallState {
  static ffi::TypeId id;
  static ffi::TypeInfo info;

  const Kernel *kernel;
  /// State of a call whose programs access other devices.
  int64_t numDevices = 0, channel = 0;
};

ffi::TypeId CallState::id = {};
ffi::TypeInfo CallState::info = ffi::MakeTypeInfo<CallState>();

/// Runs once for each call of an executable, when it is compiled or loaded. The
/// name of the kernel appears in XLA's texts and profiles.
ffi::ErrorOr<std::unique_ptr<CallState>>
instantiate(std::string_view /*name*/, std::string_view key,
            std::string_view module, std::string_view pipeline,
            int64_t optLevel, int64_t codegenLevel, std::string_view cpu,
            std::string_view features, bool reportsRaces) {
  CompileOptions options;
  options.pipeline = std::string(pipeline);
  options.optLevel = optLevel;
  options.codegenLevel = codegenLevel;
  options.cpu = std::string(cpu);
  options.features = std::string(features);
  options.reportsRaces = reportsRaces;
  std::variant<ReadyKernel, CompileFailure> result =
      getKernel(key, module, options);
  if (auto *failure = std::get_if<CompileFailure>(&result))
    return ffi::Unexpected(
        ffi::Error(ffi::ErrorCode::kInternal, describe(*failure)));
  auto state = std::make_unique<CallState>();
  state->kernel = std::get<ReadyKernel>(result).kernel;
  giveToXla(state.get());
  return state;
}

/// As above, for a call that the calls of other devices belong to.
ffi::ErrorOr<std::unique_ptr<CallState>>
instantiateCollective(std::string_view name, std::string_view key,
                      std::string_view module, std::string_view pipeline,
                      int64_t optLevel, int64_t codegenLevel,
                      std::string_view cpu, std::string_view features,
                      bool reportsRaces, int64_t numDevices, int64_t channel) {
  ffi::ErrorOr<std::unique_ptr<CallState>> state =
      instantiate(name, key, module, pipeline, optLevel, codegenLevel, cpu,
                  features, reportsRaces);
  if (state) {
    (*state)->numDevices = numDevices;
    (*state)->channel = channel;
    giveToXla(state->get());
  }
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

/// True if the kernel requires operand `number` to begin elsewhere than `data`.
bool isMisaligned(const KernelInfo &info, std::size_t number, void *data) {
  return reinterpret_cast<std::uintptr_t>(data) % kOperandAlignment != 0 &&
         std::find(info.alignedOperands.begin(), info.alignedOperands.end(),
                   static_cast<int64_t>(number)) != info.alignedOperands.end();
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

/// Adds a buffer of the call. Packed elements are given a byte each, and a
/// buffer that does not begin where the kernel needs it is copied. False when
/// there is no memory for these.
bool addBuffer(const Kernel &kernel, const ffi::AnyBuffer &buffer,
               bool isResult, DeviceBuffers &buffers, PackedBuffers &packed) {
  void *data = buffer.untyped_data();
  ffi::DataType type = buffer.element_type();
  int64_t count = buffer.element_count();
  int bits = getPackedBits(type);
  if (!bits && isMisaligned(kernel.info, buffers.data.size(), data)) {
    bits = kBitsOfByte;
    count = buffer.size_bytes();
  }
  if (bits)
    data = isResult ? packed.unpackResult(data, count, bits, isSigned(type))
                    : packed.unpack(data, count, bits, isSigned(type));
  buffers.data.push_back(data);
  buffers.sizes.push_back(getNumBytes(buffer));
  return data || !bits;
}

ffi::Error makeError(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
}

/// Reads the first `numArguments` arguments and all results.
ffi::ErrorOr<DeviceBuffers> readBuffers(const Kernel &kernel,
                                        const ffi::RemainingArgs &arguments,
                                        std::size_t numArguments,
                                        const ffi::RemainingRets &results,
                                        PackedBuffers &packed) {
  DeviceBuffers buffers;
  buffers.data.reserve(numArguments + results.size());
  buffers.sizes.reserve(numArguments + results.size());
  auto add = [&](const ffi::AnyBuffer &buffer, bool isResult) {
    if (addBuffer(kernel, buffer, isResult, buffers, packed))
      return ffi::Error::Success();
    return makeError(describeLackOfMemory(
        kernel.info, getNumBytes(buffer),
        getPackedBits(buffer.element_type())
            ? "the elements of a packed array, a byte for each"
            : "a copy of an array that does not begin at a cache line"));
  };
  for (std::size_t i = 0; i < numArguments; ++i) {
    ffi::ErrorOr<ffi::AnyBuffer> buffer = arguments.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return ffi::Unexpected(buffer.error());
    if (ffi::Error error = add(*buffer, /*isResult=*/false); error.failure())
      return ffi::Unexpected(error);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    ffi::ErrorOr<ffi::Result<ffi::AnyBuffer>> buffer =
        results.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return ffi::Unexpected(buffer.error());
    if (ffi::Error error = add(**buffer, /*isResult=*/true); error.failure())
      return ffi::Unexpected(error);
  }
  if (static_cast<int64_t>(buffers.data.size()) != kernel.info.numOperands)
    return ffi::Unexpected(
        makeError("kernel `" + kernel.info.name + "` takes " +
                  std::to_string(kernel.info.numOperands) + " buffers, got " +
                  std::to_string(buffers.data.size())));
  return buffers;
}

ffi::Error execute(ffi::ThreadPool pool, CallState *state,
                   ffi::RemainingArgs arguments, ffi::RemainingRets results) {
  takeFromXla(state);
  const Kernel &kernel = *state->kernel;
  PackedBuffers packed;
  ffi::ErrorOr<DeviceBuffers> buffers =
      readBuffers(kernel, arguments, arguments.size(), results, packed);
  if (!buffers)
    return buffers.error();
  std::size_t numBytes =
      std::accumulate(buffers->sizes.begin(), buffers->sizes.end(), int64_t(0));

  Threads threads;
  threads.count = numBytes <= kBytesWorthThreads ? 1 : pool.num_threads();
  threads.schedule = [&pool](std::function<void()> task) {
    pool.Schedule(QueuedFunction(std::move(task)));
  };
  if (std::optional<std::string> message = runKernel(kernel, *buffers, threads))
    return makeError(*message);
  packed.pack();
  return ffi::Error::Success();
}

/// Reads the buffers of one device's call, and its number, which is the last
/// argument.
ffi::ErrorOr<DeviceBuffers> readDevice(const Kernel &kernel,
                                       const ffi::RemainingArgs &arguments,
                                       const ffi::RemainingRets &results,
                                       PackedBuffers &packed) {
  if (arguments.size() == 0)
    return ffi::Unexpected(makeError("kernel `" + kernel.info.name +
                                     "` takes the number of its device, got "
                                     "no arguments"));
  const std::size_t last = arguments.size() - 1;
  ffi::ErrorOr<ffi::AnyBuffer> number = arguments.get<ffi::AnyBuffer>(last);
  if (!number)
    return ffi::Unexpected(number.error());
  if (number->element_type() != ffi::DataType::S32 ||
      number->element_count() != 1)
    return ffi::Unexpected(makeError("kernel `" + kernel.info.name +
                                     "` takes the number of its device as the "
                                     "last argument, an i32"));
  ffi::ErrorOr<DeviceBuffers> buffers =
      readBuffers(kernel, arguments, last, results, packed);
  if (buffers)
    buffers->number = *static_cast<const int32_t *>(number->untyped_data());
  return buffers;
}

ffi::Future executeCollective(ffi::RunId run, CallState *state,
                              ffi::RemainingArgs arguments,
                              ffi::RemainingRets results) {
  takeFromXla(state);
  ffi::Promise promise;
  ffi::Future future(promise);
  // Lives until the call is over.
  auto packed = std::make_shared<PackedBuffers>();
  ffi::ErrorOr<DeviceBuffers> buffers =
      readDevice(*state->kernel, arguments, results, *packed);
  // A device reports that it cannot continue, since the others wait for it.
  std::variant<DeviceBuffers, std::string> device;
  if (buffers)
    device = std::move(*buffers);
  else
    device = buffers.error().message();
  joinCall({state->kernel, run.run_id, state->channel, state->numDevices},
           std::move(device),
           [promise, packed](const std::optional<std::string> &error) mutable {
             if (error) {
               promise.SetError(makeError(*error));
               return;
             }
             packed->pack();
             promise.SetAvailable();
           });
  return future;
}

/// The attributes of every call.
auto bindInstantiate() {
  return ffi::Ffi::BindInstantiate()
      .Attr<std::string_view>("name")
      .Attr<std::string_view>("key")
      .Attr<std::string_view>("module")
      .Attr<std::string_view>("pipeline")
      .Attr<int64_t>("opt_level")
      .Attr<int64_t>("codegen_level")
      .Attr<std::string_view>("cpu")
      .Attr<std::string_view>("features")
      .Attr<bool>("reports_races");
}

XLA_FFI_DEFINE_HANDLER(instantiateHandler, instantiate, bindInstantiate());

XLA_FFI_DEFINE_HANDLER(executeHandler, execute,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::ThreadPool>()
                           .Ctx<ffi::State<CallState>>()
                           .RemainingArgs()
                           .RemainingRets());

XLA_FFI_DEFINE_HANDLER(
    instantiateCollectiveHandler, instantiateCollective,
    bindInstantiate().Attr<int64_t>("num_devices").Attr<int64_t>("channel"));

XLA_FFI_DEFINE_HANDLER(executeCollectiveHandler, executeCollective,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::RunId>()
                           .Ctx<ffi::State<CallState>>()
                           .RemainingArgs()
                           .RemainingRets());

} // namespace

FfiTarget getFfiTarget() {
  return {reinterpret_cast<void *>(instantiateHandler),
          reinterpret_cast<void *>(executeHandler),
          reinterpret_cast<void *>(instantiateCollectiveHandler),
          reinterpret_cast<void *>(executeCollectiveHandler),
          &CallState::id,
          &CallState::info};
}

} // namespace gridir::cpu
