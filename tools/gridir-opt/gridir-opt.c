/*===- gridir-opt.c - The main of gridir-opt ---------------------------===*\
|*                                                                            *|
|* Part of the gridir project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "dialects/CAPI/Gridir.h"

int main(int argc, char **argv) { return gridirOptMain(argc, argv); }
