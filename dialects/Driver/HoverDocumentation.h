//===- HoverDocumentation.h - Documentation for an editor ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server says what an op is called and how it looks, and has no
// descriptions: those are in TableGen only. A table of them is made when gridir
// is built, and the server's answers get them on their way to the editor.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H
#define GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H

#include "mlir/Support/LLVM.h"

#include <cstdio>

namespace gridir::driver {

/// Summary and description of an op as Markdown; empty where there is none.
llvm::StringRef getOpDocumentation(llvm::StringRef name);

/// Copies the messages of a language server until it ends, and adds to each
/// answer about an op what is said of that op.
void forwardMessages(std::FILE *server, llvm::raw_ostream &editor);

/// Sends a message of the language server protocol.
void sendMessage(llvm::raw_ostream &editor, llvm::StringRef body);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H
