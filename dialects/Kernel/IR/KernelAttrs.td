//===- KernelAttrs.td - Attributes of the kernel dialect --*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_KERNEL_IR_KERNELATTRS_TD
#define GRIDIR_DIALECTS_KERNEL_IR_KERNELATTRS_TD

include "dialects/Kernel/IR/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Kernel_Attr<string name, string attrMnemonic> : AttrDef<Kernel_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Kernel_OptionalInt : OptionalParameter<"std::optional<int64_t>">;
def Kernel_Flag : DefaultValuedParameter<"bool", "false">;
def Kernel_Types : OptionalArrayRefParameter<"::mlir::Type">;

//===----------------------------------------------------------------------===//
// Calls of a running kernel
//===----------------------------------------------------------------------===//

def Kernel_PrintAttr : Kernel_Attr<"Print", "print"> {
  let summary = "a site of a kernel that prints";
  let description = [{
    The format is Python's; the types are those of its values, with their signs.

    Example:

    ```mlir
    #kernel.print<"x = {}, n = {}"(tensor<8xf32>, ui32)>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$format, Kernel_Types:$types);
  let assemblyFormat = "`<` $format (`(` $types^ `)`)? `>`";
}

def Kernel_CallbackAttr : Kernel_Attr<"Callback", "callback"> {
  let summary = "a site of a kernel that calls a function of the process";
  let description = [{
    The first string is the function's identity, the second the author's name of
    it, for messages.

    Example:

    ```mlir
    #kernel.callback<"5f0c93e1", "the Python function of a callback (k.py:4:2)"(i32)>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$function, "::mlir::StringAttr":$what,
                        Kernel_Types:$types);
  let assemblyFormat = "`<` $function `,` $what (`(` $types^ `)`)? `>`";
}

//===----------------------------------------------------------------------===//
// How work items run
//===----------------------------------------------------------------------===//

def Kernel_TasksAttr : Kernel_Attr<"Tasks", "tasks"> {
  let summary = "how the work items of a kernel that may wait for each other "
                "run";
  let description = [{
    Each work item is a task, which may be suspended while it waits and resumed
    later. `seed` determines the order of tasks; without it they run in program
    order. The runtime checks for unordered accesses (`races`), for reads of
    uninitialized memory (`uninitialized`), and for semaphores that are not zero
    at the end (`semaphores`). The work items of a `cluster`, a number of
    consecutive ones, may access each other's memory, which exists until the
    last of them has ended.

    Example:

    ```mlir
    #kernel.tasks<>
    #kernel.tasks<seed = 3, races = true, cluster = 4>
    ```
  }];
  let parameters = (ins Kernel_OptionalInt:$seed, Kernel_Flag:$races, Kernel_Flag:$uninitialized,
                        Kernel_Flag:$semaphores,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_SharedAttr : Kernel_Attr<"Shared", "shared"> {
  let summary = "memory that tasks share";
  let description = [{
    `bytes` bytes for each group of `members` consecutive work items; one buffer
    for all work items if `members` is 0.

    Example:

    ```mlir
    #kernel.shared<members = 2, bytes = 4096>
    ```
  }];
  let parameters = (ins "int64_t":$members, "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Kernel_UnwrittenAttr : Kernel_Attr<"Unwritten", "unwritten"> {
  let summary = "an operand that is uninitialized when the kernel begins";
  let description = [{
    Its number among the operands, its name with the source line, and its array
    type.

    Example:

    ```mlir
    #kernel.unwritten<1, "o_ref (k.py:3:5)", tensor<8xf32>>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::StringAttr":$name,
                        "::mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $operand `,` $name `,` $type `>`";
}

//===----------------------------------------------------------------------===//
// Parameters of a kernel on a GPU
//===----------------------------------------------------------------------===//

def Kernel_OperandAttr : Kernel_Attr<"Operand", "operand"> {
  let summary = "a parameter of a GPU kernel: the address of an operand";
  let description = [{
    Operands are counted from 0, inputs before outputs.

    Example:

    ```mlir
    #kernel.operand<0>
    ```
  }];
  let parameters = (ins "int64_t":$operand);
  let assemblyFormat = "`<` $operand `>`";
}

def Kernel_ReportAttr : Kernel_Attr<"Report", "report"> {
  let summary = "a parameter of a GPU kernel: the address of the error report";
  let description = [{
    The memory has `words` words of 64 bits, which are zero when the kernel
    begins. The first word becomes the number of the failed check, counted from
    1, and the next two the values of its message.

    Example:

    ```mlir
    #kernel.report<4>
    ```
  }];
  let parameters = (ins "int64_t":$words);
  let assemblyFormat = "`<` $words `>`";
}

def Kernel_ScalarAttr : Kernel_Attr<"Scalar", "scalar"> {
  let summary = "a parameter of a GPU kernel: a constant of 64 bits";
  let description = [{
    Example:

    ```mlir
    #kernel.scalar<16>
    ```
  }];
  let parameters = (ins "int64_t":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Kernel_NumItemsAttr : Kernel_Attr<"NumItems", "num_items"> {
  let summary = "a parameter of a GPU kernel: the number of work items";
  let description = [{
    Stands for the result of `@entry.range`, which depends on operands, as an
    integer of 64 bits. A number that does not is a `scalar`.

    Example:

    ```mlir
    #kernel.num_items
    ```
  }];
}

def Kernel_WorkspaceAttr : Kernel_Attr<"Workspace", "workspace"> {
  let summary = "a parameter of a GPU kernel: the address of temporaries";
  let description = [{
    Each CTA of the launch has `bytes` bytes of the memory, whose contents are
    undefined when the kernel begins.

    Example:

    ```mlir
    #kernel.workspace<4096>
    ```
  }];
  let parameters = (ins "int64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
}

def Kernel_ZeroedAttr : Kernel_Attr<"Zeroed", "zeroed"> {
  let summary = "a parameter of a GPU kernel: the address of memory that is zero";
  let description = [{
    All CTAs share the `bytes` bytes, which are zero when the kernel begins.

    Example:

    ```mlir
    #kernel.zeroed<64>
    ```
  }];
  let parameters = (ins "int64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
}

def Kernel_TensorMapAttr : Kernel_Attr<"TensorMap", "tensor_map"> {
  let summary = "a parameter of a GPU kernel: a tensor map of an operand";
  let description = [{
    A parameter of 128 bytes by which bulk copies find tiles of an operand. It
    has the number of the operand, the operand as the tensor that the kernel sees
    in its memory, the sizes of a tile, and the bytes of a row over which shared
    memory is permuted: 0, 32, 64 or 128. An encoding of the tensor has the
    strides in elements; without one the tensor is row-major and has no gaps.

    Example:

    ```mlir
    #kernel.tensor_map<0, tensor<512x512xf16>, box = [64, 64], swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::RankedTensorType":$tensor,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` $operand `,` $tensor `,` `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `>`
  }];
}

def Kernel_PackedAttr : Kernel_Attr<"Packed", "packed"> {
  let summary = "an operand whose elements share bytes in bulk copies";
  let description = [{
    Bulk copies see `count` elements of the operand in each byte, the first in
    its lowest bits.

    Example:

    ```mlir
    #kernel.packed<0, 2>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "int64_t":$count);
  let assemblyFormat = "`<` $operand `,` $count `>`";
}

//===----------------------------------------------------------------------===//
// Attributes that passes exchange before the ABI is complete
//===----------------------------------------------------------------------===//

def Kernel_BufferAttr : Kernel_Attr<"Buffer", "buffer"> {
  let summary = "the requirements of the allocation of a task's buffer";
  let description = [{
    The attribute `kernel.buffer` of an allocation whose bytes no other one
    shares, since its address may be known elsewhere. `members` consecutive work
    items share the memory, or all if `members` is 0.

    Example:

    ```mlir
    #kernel.buffer<>
    #kernel.buffer<members = 2>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$members);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_MappingAttr : Kernel_Attr<"Mapping", "mapping"> {
  let summary = "the author's parameters for the mapping of a kernel to the "
                "threads of a GPU";
  let description = [{
    The attribute `kernel.mapping` of a module: the kernel parameters that
    passes of a GPU need when the kernel is a function.

    Example:

    ```mlir
    #kernel.mapping<num_warps = 8, approx_math = true>
    ```
  }];
  let parameters = (ins Kernel_OptionalInt:$num_warps, Kernel_Flag:$approx_math,
                        Kernel_OptionalInt:$reduction_scratch_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // GRIDIR_DIALECTS_KERNEL_IR_KERNELATTRS_TD
