//===- BuildID.cpp - Which code runs --------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildID.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

#include <elf.h>
#include <link.h>

using namespace llvm;

namespace gridir::cpu {

namespace {

/// An address, and the build ID of the library that it lies in.
struct Search {
  uintptr_t address;
  ArrayRef<uint8_t> id;
};

/// The build ID among the notes of a segment.
ArrayRef<uint8_t> findBuildID(const uint8_t *notes, size_t size,
                              size_t alignment) {
  while (size >= sizeof(ElfW(Nhdr))) {
    auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes);
    size_t name = sizeof(*note);
    size_t content = alignTo(name + note->n_namesz, alignment);
    size_t next = alignTo(content + note->n_descsz, alignment);
    if (next > size)
      return {};
    StringRef owner(reinterpret_cast<const char *>(notes + name),
                    note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && owner == StringRef("GNU", 4))
      return ArrayRef(notes + content, note->n_descsz);
    notes += next;
    size -= next;
  }
  return {};
}

/// Called for each library until one gives something other than 0.
int visitLibrary(dl_phdr_info *library, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  ArrayRef<ElfW(Phdr)> segments(library->dlpi_phdr, library->dlpi_phnum);
  auto holds = [&](const ElfW(Phdr) &segment) {
    return segment.p_type == PT_LOAD &&
           search.address - (library->dlpi_addr + segment.p_vaddr) <
               segment.p_memsz;
  };
  if (!any_of(segments, holds))
    return 0;
  for (const ElfW(Phdr) &segment : segments) {
    if (segment.p_type != PT_NOTE)
      continue;
    auto *notes =
        reinterpret_cast<const uint8_t *>(library->dlpi_addr + segment.p_vaddr);
    search.id =
        findBuildID(notes, segment.p_memsz, segment.p_align == 8 ? 8 : 4);
    if (!search.id.empty())
      break;
  }
  return 1;
}

template <typename Fn> uintptr_t toAddress(Fn *function) {
  return reinterpret_cast<uintptr_t>(function);
}

} // namespace

std::optional<std::string> getBuildID() {
  std::string text;
  // All three are one library but in a developer's build.
  for (uintptr_t address :
       {toAddress(&getBuildID), toAddress(&mlir::registerPass),
        toAddress(&sys::getHostCPUName)}) {
    Search search{address, {}};
    dl_iterate_phdr(&visitLibrary, &search);
    if (search.id.empty())
      return std::nullopt;
    text += toHex(search.id, /*LowerCase=*/true) + " ";
  }
  return text;
}

} // namespace gridir::cpu
