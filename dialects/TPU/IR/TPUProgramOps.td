//===- TPUProgramOps.td - The running program, regions and traces --*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUPROGRAMOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUPROGRAMOPS_TD

include "dialects/TPU/IR/TPUAttrs.td"
include "dialects/TPU/IR/TPUTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TPU_Machine : Resource<"::gridir::tpu::MachineResource">;

//===----------------------------------------------------------------------===//
// The program and its machine
//===----------------------------------------------------------------------===//

def TPU_IterationBoundOp : TPU_Op<"iteration_bound", [Pure]> {
  let summary = "the extent of a grid dimension";
  let description = [{
    Example:

    ```mlir
    %n = tpu.iteration_bound 0 : i32
    ```
  }];
  let arguments = (ins I32Attr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def TPU_DeviceIdOp : TPU_Op<"device_id", [Pure]> {
  let summary = "the number of the device that runs the program";
  let description = [{
    Example:

    ```mlir
    %d = tpu.device_id : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TPU_AssumeMultipleOp : TPU_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "a number that is known to be a multiple of another";
  let description = [{
    Returns its operand. Mosaic uses it to prove that a dynamic index is
    aligned.

    Example:

    ```mlir
    %j = tpu.assume_multiple %i, 128 : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, I32Attr:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TPU_DelayOp : TPU_Op<"delay", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "delay the program";
  let description = [{
    The delay is in nanoseconds.

    Example:

    ```mlir
    tpu.delay %n
    ```
  }];
  let arguments = (ins I32:$nanos);
  let assemblyFormat = "$nanos attr-dict";
}

def TPU_PRNGSeed32Op : TPU_Op<"prng_set_seed_32", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "seed the random generator of the core";
  let description = [{
    Example:

    ```mlir
    "tpu.prng_set_seed_32"(%a, %b) : (i32, i32) -> ()
    ```
  }];
  let arguments = (ins Variadic<I32>:$seeds);
}

def TPU_PRNGRandomBitsOp : TPU_Op<"prng_random_bits", [
    MemoryEffects<[MemRead<TPU_Machine>, MemWrite<TPU_Machine>]>]> {
  let summary = "random bits from the generator of the core";
  let description = [{
    Example:

    ```mlir
    %bits = "tpu.prng_random_bits"() : () -> vector<8x128xi32>
    ```
  }];
  let results = (outs TPU_Vector:$output);
}

//===----------------------------------------------------------------------===//
// Regions and traces
//===----------------------------------------------------------------------===//

def TPU_YieldOp : TPU_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "end a region and return its results";
  let description = [{
    Example:

    ```mlir
    "tpu.region"() ({
      tpu.yield
    }) : () -> ()
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

class TPU_BodyOp<string mnemonic> : TPU_Op<mnemonic, [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasRegionVerifier = 1;
}

def TPU_RegionOp : TPU_BodyOp<"region"> {
  let summary = "a region that ends the lifetime of its allocations";
  let description = [{
    Memory comes from `memref.alloca`, semaphores from `tpu.sem_alloc`.

    Example:

    ```mlir
    "tpu.region"() ({
      %m = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
      "tpu.yield"() : () -> ()
    }) : () -> ()
    ```
  }];
}

def TPU_TraceOp : TPU_BodyOp<"trace"> {
  let summary = "a region that a profile shows by name";
  let description = [{
    Example:

    ```mlir
    "tpu.trace"() <{level = 10 : i32, message = "copy"}> ({
      "tpu.yield"() : () -> ()
    }) : () -> ()
    ```
  }];
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def TPU_TraceStartOp : TPU_Op<"trace_start", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "begin a named region of a profile";
  let description = [{
    Example:

    ```mlir
    "tpu.trace_start"() <{level = 10 : i32, message = "copy"}> : () -> ()
    ```
  }];
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def TPU_TraceStopOp : TPU_Op<"trace_stop", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "end what `tpu.trace_start` began";
  let description = [{
    Example:

    ```mlir
    "tpu.trace_stop"() : () -> ()
    ```
  }];
}

def TPU_TraceValueOp : TPU_Op<"trace_value", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "show a number in a profile";
  let description = [{
    Example:

    ```mlir
    tpu.trace_value %n, "tokens" : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, F32]>:$value, StrAttr:$label);
  let assemblyFormat = "$value `,` $label attr-dict `:` type($value)";
}

def TPU_LogOp : TPU_Op<"log", [MemoryEffects<[MemWrite<TPU_Machine>]>]> {
  let summary = "print values to the log of the device";
  let description = [{
    With `formatted` the tag contains the position of each value: `$0`, `$1`,
    and so on.

    Example:

    ```mlir
    tpu.log "step" : [%n] : i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$tag,
                       DefaultValuedAttr<BoolAttr, "false">:$formatted);
  let assemblyFormat = "$tag attr-dict (`:` `[` $inputs^ `]` `:` type($inputs))?";
}

def TPU_LogBufferOp : TPU_Op<"log_buffer", [MemoryEffects<[MemRead, MemWrite<TPU_Machine>]>]> {
  let summary = "print an array to the log of the device";
  let description = [{
    The shape is an attribute, since the memory may hold whole tiles.

    Example:

    ```mlir
    tpu.log_buffer "x = " {shape = array<i64: 8, 128>} : %m : memref<8x128xf32, #tpu.memory_space<vmem>>
    ```
  }];
  let arguments = (ins AnyMemRef:$input, DenseI64ArrayAttr:$shape, StrAttr:$tag);
  let assemblyFormat = "$tag attr-dict `:` $input `:` type($input)";
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUPROGRAMOPS_TD
