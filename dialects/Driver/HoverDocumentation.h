//===- HoverDocumentation.h - Documentation for an editor ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server shows the name and the form of an op without its
// description, which only TableGen has. A table of descriptions is generated
// when gridir is built, and added to the server's answers on their way to the
// editor.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H
#define GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H

#include "mlir/Support/LLVM.h"

#include <cstdio>

namespace gridir::driver {

/// Summary and description of an op as Markdown; empty where there is none.
llvm::StringRef getOpDocumentation(llvm::StringRef name);

/// Copies the messages of a language server until it ends, and adds the
/// description to each answer about an op.
void forwardMessages(std::FILE *server, llvm::raw_ostream &editor);

/// Sends a message of the language server protocol.
void sendMessage(llvm::raw_ostream &editor, llvm::StringRef body);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_HOVERDOCUMENTATION_H
