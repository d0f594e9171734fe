// A crash of a pass is an error of gridir-opt that names the pass, in the second chunk as in the first;
// test/Driver/recovery.py sees what Python makes of it.

// RUN: not gridir-opt %s --split-input-file --cse --test-crash=kind=fatal-error 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not gridir-opt %s --canonicalize --test-crash=kind=abort 2>&1 | FileCheck %s --check-prefix=ABORT
// RUN: not gridir-opt %s --test-crash=kind=segfault 2>&1 | FileCheck %s --check-prefix=SEGFAULT
// RUN: not gridir-opt %s --test-crash=kind=stack-overflow 2>&1 | FileCheck %s --check-prefix=SEGFAULT
// RUN: not gridir-opt %s --test-crash=kind=other 2>&1 | FileCheck %s --check-prefix=OTHER

// FATAL: error: the compiler crashed, which is a defect of gridir: test-crash was run in pass 'test-crash'
// ABORT: error: the compiler crashed, which is a defect of gridir: Aborted in pass 'test-crash'
// SEGFAULT: error: the compiler crashed, which is a defect of gridir: Segmentation fault in pass 'test-crash'
// OTHER: Cannot find option named 'other'
module {
}
