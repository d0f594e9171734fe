// RUN: gridir-opt %s --split-input-file --verify-diagnostics -o /dev/null
// RUN: gridir-opt %s --split-input-file --verify-diagnostics=all --emit-bytecode -o %t.mlirbc
// RUN: gridir-opt %s --split-input-file --verify-diagnostics --canonicalize --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s
// RUN: gridir-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: gridir-opt --help | FileCheck %s --check-prefix=PIPELINES
// RUN: gridir-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: gridir-reduce --version | FileCheck %s --check-prefix=VERSION
// RUN: not gridir-opt --load-pass-plugin=plugin.so %s 2>&1 | FileCheck %s --check-prefix=PLUGIN

// Features of mlir-opt work here: chunks, expected diagnostics, printing after passes, bytecode.
// CHECK: IR Dump After LoopsVerifySizes
// CHECK: IR Dump After Canonicalizer
// CHECK: func.func @folded
// CHECK-NEXT: return %{{.*}} : i32
func.func @folded(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %y = arith.addi %x, %c0 : i32
  return %y : i32
}

// -----

func.func @wrong() -> i32 {
  // expected-error @+1 {{has 0 operands, but enclosing function (@wrong) returns 1}}
  return
}

// PASSES-DAG: --cpu-plan-arena
// PASSES-DAG: --convert-grid-to-loops
// PASSES-DAG: --one-shot-bufferize
// PASSES-DAG: --convert-gpu-to-nvvm

// PIPELINES: --grid-to-cpu

// A plugin would bring a separate MLIR, whose passes are not found.
// PLUGIN: Unknown command line argument '--load-pass-plugin=plugin.so'

// VERSION: gridir-{{opt|reduce}} {{[0-9]+\.[0-9]+\.[0-9]+}}, LLVM {{[0-9]+}}
