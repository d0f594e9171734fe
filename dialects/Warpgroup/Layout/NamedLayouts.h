//===- NamedLayouts.h - The layouts that instructions demand ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_NAMEDLAYOUTS_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_NAMEDLAYOUTS_H

#include "dialects/Warpgroup/Layout/Layout.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gridir::warpgroup {

/// The layout of a name, as "wgmma", and of the number that some names take, as
/// `strided(4)`; none for an unknown name or an invalid number.
std::optional<Layout> getNamedLayout(llvm::StringRef name,
                                     std::optional<int64_t> number);

/// Returns the text of the layout that `getNamedLayout` parses.
std::optional<std::string> getLayoutName(const Layout &layout);

/// A name with an argument, as `strided(4)`, or without.
std::string getLayoutNames();

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_NAMEDLAYOUTS_H
