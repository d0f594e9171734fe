//===- ObjectCache.cpp - Object files on disk -----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a line that names the format, the SHA-256 of all that follows,
// the length of a JSON record (KernelInfo), the record and the object file. A
// read verifies the hash before it believes anything, so a torn or damaged
// entry is the same as none.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "TargetCPU.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace gridir::cpu {

namespace {

constexpr StringLiteral kMagic = "gridir object 1\n";
constexpr size_t kHashBytes = 32;
constexpr size_t kLengthBytes = 8;

std::string hash(StringRef bytes) {
  std::array<uint8_t, 32> digest = SHA256::hash(arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

/// The size and time of the library that holds the passes: a rebuilt gridir
/// must not load what an older one compiled.
std::string describeBuild() {
  Dl_info library;
  sys::fs::file_status status;
  if (!dladdr(reinterpret_cast<void *>(&describeBuild), &library) ||
      sys::fs::status(library.dli_fname, status))
    return "";
  return (Twine(status.getSize()) + "." +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

std::string getPath(const std::string &key) {
  const char *directory = std::getenv("GRIDIR_CACHE_DIR");
  if (!directory || !*directory)
    return "";
  SmallString<256> path(directory);
  sys::path::append(path, key + ".gridir");
  return std::string(path);
}

json::Value toJson(const KernelInfo &info) {
  json::Array prints;
  for (const PrintSite &site : info.prints) {
    json::Array types;
    for (const PrintType &type : site.types)
      types.push_back(json::Object{{"element", type.element},
                                   {"shape", json::Array(type.shape)},
                                   {"bytes", type.bytesPerElement}});
    prints.push_back(
        json::Object{{"format", site.format}, {"types", std::move(types)}});
  }
  json::Value tasks = nullptr;
  if (info.tasks)
    tasks = json::Object{{"seed", info.tasks->seed},
                         {"shared", info.tasks->sharedBytes},
                         {"zeroed", json::Array(info.tasks->zeroedOperands)}};
  return json::Object{{"name", info.name},
                      {"operands", info.numOperands},
                      {"arena", info.arenaBytes},
                      {"diagnostics", json::Array(info.diagnostics)},
                      {"prints", std::move(prints)},
                      {"tasks", std::move(tasks)},
                      {"accesses", json::Array(info.accesses)}};
}

} // namespace

// Found by the JSON library through the types' namespace.
static bool fromJSON(const json::Value &value, PrintType &type,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("element", type.element) &&
         mapper.map("shape", type.shape) &&
         mapper.map("bytes", type.bytesPerElement);
}

static bool fromJSON(const json::Value &value, PrintSite &site,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("format", site.format) &&
         mapper.map("types", site.types);
}

static bool fromJSON(const json::Value &value, TaskInfo &info,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("seed", info.seed) &&
         mapper.map("shared", info.sharedBytes) &&
         mapper.map("zeroed", info.zeroedOperands);
}

static bool fromJSON(const json::Value &value, KernelInfo &info,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("name", info.name) &&
         mapper.map("operands", info.numOperands) &&
         mapper.map("arena", info.arenaBytes) &&
         mapper.map("diagnostics", info.diagnostics) &&
         mapper.map("prints", info.prints) && mapper.map("tasks", info.tasks) &&
         mapper.map("accesses", info.accesses);
}

std::string getObjectKey(std::string_view module,
                         const CompileOptions &options) {
  static const std::string environment =
      describeHost() + "\n" + describeBuild();
  std::string text;
  raw_string_ostream(text) << environment << "\n"
                           << options.pipeline << "\n"
                           << options.optLevel << "\n"
                           << options.codegenLevel << "\n"
                           << options.cpu << "\n"
                           << options.features << "\n"
                           << hash(StringRef(module));
  return toHex(hash(text), /*LowerCase=*/true);
}

std::optional<KernelObject> readObject(const std::string &key) {
  std::string path = getPath(key);
  if (path.empty())
    return std::nullopt;
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;

  StringRef rest = (*buffer)->getBuffer();
  if (!rest.consume_front(kMagic) || rest.size() < kHashBytes + kLengthBytes)
    return std::nullopt;
  StringRef digest = rest.take_front(kHashBytes);
  rest = rest.drop_front(kHashBytes);
  if (hash(rest) != digest)
    return std::nullopt;
  uint64_t length = support::endian::read64le(rest.data());
  rest = rest.drop_front(kLengthBytes);
  if (length > rest.size())
    return std::nullopt;

  Expected<KernelInfo> info =
      json::parse<KernelInfo>(rest.take_front(length), "kernel");
  if (!info) {
    consumeError(info.takeError());
    return std::nullopt;
  }
  return KernelObject{std::move(*info), rest.drop_front(length).str()};
}

void writeObject(const std::string &key, const KernelObject &object) {
  std::string path = getPath(key);
  if (path.empty())
    return;
  std::string record;
  raw_string_ostream(record) << toJson(object.info);
  char length[kLengthBytes];
  support::endian::write64le(length, record.size());
  std::string payload(length, sizeof(length));
  payload += record;
  payload += object.object;

  // Written beside its place and renamed: a reader sees all of it or nothing.
  if (sys::fs::create_directories(sys::path::parent_path(path)))
    return;
  consumeError(writeToOutput(path, [&](raw_ostream &stream) {
    stream << kMagic << hash(payload) << payload;
    return Error::success();
  }));
}

} // namespace gridir::cpu
