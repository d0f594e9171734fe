//===- ObjectCache.cpp - Object files on disk -----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a line that names the format, the SHA-256 of its key and of all
// that follows, the length of a JSON record (KernelInfo), the record and the
// object file. A read verifies the hash first, so a partial, damaged or renamed
// entry counts as missing.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "BuildID.h"
#include "TargetCPU.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace gridir::cpu {

namespace {

constexpr StringLiteral kMagic = "gridir object 4\n";
constexpr size_t kHashBytes = 32;
constexpr size_t kLengthBytes = 8;

std::string hash(StringRef bytes) {
  std::array<uint8_t, 32> digest = SHA256::hash(arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

/// Entries are named as `pruneCache` wants it, which removes no other file.
constexpr StringLiteral kEntryPrefix = "llvmcache-gridir-";

/// The default limits of a cache.
constexpr StringLiteral kDefaultPolicy =
    "prune_interval=0s:prune_after=0s:cache_size=50%:cache_size_bytes=1g";

std::string getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Returns the reason why a file or directory is not trusted, or none.
std::string findFault(const struct stat &status) {
  if (status.st_uid != geteuid())
    return "it belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to it";
  return "";
}

json::Value toJson(const KernelInfo &info) {
  json::Array prints;
  for (const PrintSite &site : info.prints) {
    json::Array types;
    for (const PrintType &type : site.types)
      types.push_back(json::Object{{"element", type.element},
                                   {"shape", json::Array(type.shape)},
                                   {"bytes", type.bytesPerElement}});
    prints.push_back(json::Object{{"format", site.format},
                                  {"callback", site.callback},
                                  {"what", site.what},
                                  {"types", std::move(types)}});
  }
  json::Value tasks = nullptr;
  if (info.tasks) {
    json::Array unwritten;
    for (const UnwrittenOperand &operand : info.tasks->unwritten)
      unwritten.push_back(json::Object{{"operand", operand.operand},
                                       {"name", operand.name},
                                       {"shape", json::Array(operand.shape)},
                                       {"bytes", operand.bytesPerElement}});
    json::Array shared;
    for (const SharedBytes &kind : info.tasks->shared)
      shared.push_back(
          json::Object{{"members", kind.members}, {"bytes", kind.bytes}});
    tasks = json::Object{{"seed", info.tasks->seed},
                         {"shared", std::move(shared)},
                         {"zeroed", json::Array(info.tasks->zeroedOperands)},
                         {"races", info.tasks->races},
                         {"uninitialized", info.tasks->uninitialized},
                         {"semaphores", info.tasks->semaphores},
                         {"cluster", info.tasks->clusterItems},
                         {"grid", json::Array(info.tasks->grid)},
                         {"unwritten", std::move(unwritten)}};
  }
  return json::Object{{"name", info.name},
                      {"operands", info.numOperands},
                      {"arena", info.arenaBytes},
                      {"shares", info.hasShares},
                      {"aligned", json::Array(info.alignedOperands)},
                      {"stack", info.stackBytes},
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
         mapper.map("callback", site.callback) &&
         mapper.map("what", site.what) && mapper.map("types", site.types);
}

static bool fromJSON(const json::Value &value, UnwrittenOperand &operand,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("operand", operand.operand) &&
         mapper.map("name", operand.name) &&
         mapper.map("shape", operand.shape) &&
         mapper.map("bytes", operand.bytesPerElement);
}

static bool fromJSON(const json::Value &value, SharedBytes &kind,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("members", kind.members) &&
         mapper.map("bytes", kind.bytes);
}

static bool fromJSON(const json::Value &value, TaskInfo &info,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("seed", info.seed) &&
         mapper.map("shared", info.shared) &&
         mapper.map("zeroed", info.zeroedOperands) &&
         mapper.map("races", info.races) &&
         mapper.map("uninitialized", info.uninitialized) &&
         mapper.map("semaphores", info.semaphores) &&
         mapper.map("cluster", info.clusterItems) &&
         mapper.map("grid", info.grid) &&
         mapper.map("unwritten", info.unwritten);
}

static bool fromJSON(const json::Value &value, KernelInfo &info,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("name", info.name) &&
         mapper.map("operands", info.numOperands) &&
         mapper.map("arena", info.arenaBytes) &&
         mapper.map("shares", info.hasShares) &&
         mapper.map("aligned", info.alignedOperands) &&
         mapper.map("stack", info.stackBytes) &&
         mapper.map("diagnostics", info.diagnostics) &&
         mapper.map("prints", info.prints) && mapper.map("tasks", info.tasks) &&
         mapper.map("accesses", info.accesses);
}

std::string getObjectKey(std::string_view module,
                         const CompileOptions &options) {
  // Never destroyed: an XLA thread may load a kernel while the process ends.
  static const std::string &environment =
      *new std::string(describeHost() + "\n" + getBuildID().value_or(""));
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

//===----------------------------------------------------------------------===//
// The directory
//===----------------------------------------------------------------------===//

ObjectCache::ObjectCache() : path(getVariable("GRIDIR_CACHE_DIR")) {
  if (path.empty())
    return;
  open();
  if (!problem.empty())
    problem = "the cache " + path + " is not used: " + problem;
}

ObjectCache::~ObjectCache() {
  if (directory >= 0)
    close(directory);
}

void ObjectCache::open() {
  if (!getBuildID()) {
    problem = "gridir or LLVM was linked without a build ID";
    return;
  }
  std::string text = getVariable("GRIDIR_CACHE_POLICY");
  Expected<CachePruningPolicy> parsed =
      parseCachePruningPolicy(text.empty() ? kDefaultPolicy.str() : text);
  if (!parsed) {
    problem = "GRIDIR_CACHE_POLICY: " + toString(parsed.takeError());
    return;
  }
  policy = *parsed;
  if (std::error_code error = sys::fs::create_directories(
          path, /*IgnoreExisting=*/true, sys::fs::owner_all)) {
    problem = "it cannot be made: " + error.message();
    return;
  }
  int descriptor = sys::RetryAfterSignal(-1, [&] {
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    problem = "it cannot be opened: " + sys::StrError(errno);
  else
    problem = findFault(status);
  if (problem.empty())
    directory = descriptor;
  else if (descriptor >= 0)
    close(descriptor);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The bytes of a regular file that belongs to the user and that no one else
/// may write, or null. They are copied: a file that another process truncates
/// while it is mapped would end this one.
static std::unique_ptr<MemoryBuffer> readFile(int directory,
                                              const std::string &name) {
  // Neither follows a link nor waits at a pipe.
  int descriptor = sys::RetryAfterSignal(-1, [&] {
    return openat(directory, name.c_str(),
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  });
  if (descriptor < 0)
    return nullptr;
  std::unique_ptr<MemoryBuffer> bytes;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      findFault(status).empty())
    if (ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
            MemoryBuffer::getOpenFile(descriptor, name, status.st_size,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true))
      bytes = std::move(*buffer);
  // Used now, which determines the order of removal; the system itself may note
  // the time of an access once a day, or never.
  timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  if (bytes)
    futimens(descriptor, times);
  close(descriptor);
  return bytes;
}

std::optional<KernelObject> ObjectCache::read(const std::string &key) const {
  if (directory < 0)
    return std::nullopt;
  std::unique_ptr<MemoryBuffer> buffer =
      readFile(directory, (kEntryPrefix + key).str());
  if (!buffer)
    return std::nullopt;

  StringRef rest = buffer->getBuffer();
  if (!rest.consume_front(kMagic) || rest.size() < kHashBytes + kLengthBytes)
    return std::nullopt;
  StringRef digest = rest.take_front(kHashBytes);
  rest = rest.drop_front(kHashBytes);
  if (hash(key + rest.str()) != digest)
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

void ObjectCache::write(const std::string &key,
                        const KernelObject &object) const {
  if (directory < 0)
    return;
  std::string record;
  raw_string_ostream(record) << toJson(object.info);
  char length[kLengthBytes];
  support::endian::write64le(length, record.size());
  std::string payload(length, sizeof(length));
  payload += record;
  payload += object.object;

  // Written to a temporary file beside it and renamed, so that a reader sees
  // all of it or nothing. Files of a killed process are pruned like entries.
  const std::string name = (kEntryPrefix + key).str();
  const std::string temporary = name + "." + std::to_string(getpid()) + "." +
                                std::to_string(sys::Process::GetRandomNumber());
  int descriptor = sys::RetryAfterSignal(-1, [&] {
    return openat(directory, temporary.c_str(),
                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  });
  if (descriptor < 0)
    return;
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << kMagic << hash(key + payload) << payload;
  stream.close();
  bool isWhole = !stream.has_error();
  // The disk may be full.
  stream.clear_error();
  if (!isWhole ||
      renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
    unlinkat(directory, temporary.c_str(), 0);
  pruneCache(path, policy);
}

} // namespace gridir::cpu
