//===- SourceLines.cpp - Lines of the author ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/SourceLines.h"

using namespace mlir;

namespace gridir {

std::string getSourceLine(Location loc) {
  auto line = loc->findInstanceOf<FileLineColLoc>();
  if (!line)
    return {};
  return (line.getFilename().getValue() + ":" + Twine(line.getLine()) + ":" +
          Twine(line.getColumn()))
      .str();
}

StringAttr getLocatedText(Location loc, const Twine &message) {
  std::string text = message.str();
  if (std::string line = getSourceLine(loc); !line.empty())
    text += " (" + line + ")";
  return StringAttr::get(loc.getContext(), text);
}

} // namespace gridir
