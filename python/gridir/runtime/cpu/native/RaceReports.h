//===- RaceReports.h - Races that are no errors of a call ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACEREPORTS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACEREPORTS_H

#include <optional>
#include <string>

namespace gridir::cpu {

/// Keeps the message of the race of a call that is over, or nothing where it
/// has none, in place of that of the last such call. A race is printed as a
/// warning.
void keepRace(std::optional<std::string> message);

/// Returns the last recorded race.
std::optional<std::string> getKeptRace();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACEREPORTS_H
