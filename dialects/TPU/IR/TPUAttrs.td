//===- TPUAttrs.td - Attributes of the tpu dialect --------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUATTRS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUATTRS_TD

include "dialects/TPU/IR/TPUEnums.td"
include "mlir/IR/AttrTypeBase.td"

class TPU_Attr<string name, string attrMnemonic> : AttrDef<TPU_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def TPU_MemorySpaceAttr : TPU_Attr<"MemorySpace", "memory_space"> {
  let summary = "memory space of a memref";
  let description = [{
    The core is named if the memory belongs to another core than the kernel's.

    Example:

    ```mlir
    #tpu.memory_space<vmem>
    #tpu.memory_space<semaphore_mem, sc_scalar_subcore>
    ```
  }];
  let parameters = (ins EnumParameter<TPU_MemorySpace>:$value,
                        OptionalParameter<"std::optional<CoreType>">:$core_type);
  let builders = [AttrBuilder<(ins "MemorySpace":$value), [{
    return $_get($_ctxt, value, std::nullopt);
  }]>];
  let assemblyFormat = "`<` $value (`,` $core_type^)? `>`";
}

def TPU_ElementWindowAttr : TPU_Attr<"ElementWindow", "element_window"> {
  let summary = "a window whose indices count elements";
  let description = [{
    The transform of the operand counts elements and not blocks. The numbers are
    the padding of the array, low and high, for each dimension.

    Example:

    ```mlir
    #tpu.element_window<[0, 0], [0, 8]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$pad_low,
                        ArrayRefParameter<"int64_t">:$pad_high);
  let assemblyFormat = "`<` `[` $pad_low `]` `,` `[` $pad_high `]` `>`";
  let genVerifyDecl = 1;
}

def TPU_DotDimensionNumbersAttr : TPU_Attr<"DotDimensionNumbers", "dot_dimension_numbers"> {
  let summary = "which dimensions a matmul contracts";
  let description = [{
    The contracted dimensions of the left and of the right side, the remaining
    dimensions of each, the order of the result as pairs of a side (0 or 1) and
    a dimension of it, and the batch dimensions of each side.

    Example:

    ```mlir
    #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhs_contracting_dims,
                        ArrayRefParameter<"int64_t">:$rhs_contracting_dims,
                        OptionalArrayRefParameter<"int64_t">:$lhs_non_contracting_dims,
                        OptionalArrayRefParameter<"int64_t">:$rhs_non_contracting_dims,
                        ArrayRefParameter<"int64_t">:$output_dim_order,
                        OptionalArrayRefParameter<"int64_t">:$lhs_batch_dims,
                        OptionalArrayRefParameter<"int64_t">:$rhs_batch_dims);
  let assemblyFormat = [{
    `<` `[` $lhs_contracting_dims `]` `,` `[` $rhs_contracting_dims `]`
    `,` `[` (`]`) : ($lhs_non_contracting_dims^ `]`)?
    `,` `[` (`]`) : ($rhs_non_contracting_dims^ `]`)?
    `,` `[` $output_dim_order `]`
    `,` `[` (`]`) : ($lhs_batch_dims^ `]`)?
    `,` `[` (`]`) : ($rhs_batch_dims^ `]`)? `>`
  }];
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUATTRS_TD
