// The pass ends the process; test/python/compiler/crashes.py sees its other ways.

// RUN: not gridir-opt %s --test-crash=kind=fatal-error 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not gridir-opt %s --test-crash=kind=other 2>&1 | FileCheck %s --check-prefix=OTHER

// FATAL: LLVM ERROR: test-crash was run
// OTHER: Cannot find option named 'other'
module {
}
