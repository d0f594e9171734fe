//===- GridInterfaces.td - What an op says of its part in a kernel -*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_TD

include "mlir/IR/OpBase.td"

def Grid_RefViewOpInterface : OpInterface<"RefViewOpInterface"> {
  let description = [{
    An op whose result is a view of its Ref operands and that moves no data. A
    Ref result of any other op may be any part of its operands.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      The Refs that the result may name memory of: one of them in each run.
    }], "::mlir::ValueRange", "getViewSources">,
    InterfaceMethod<[{
      Where the elements of the result lie in the source, one entry for each
      dimension of the source. Without it the result has another shape, or other
      elements, and names all of the source if its users use all of it.
    }], "std::optional<::llvm::SmallVector<::gridir::grid::ViewDim>>",
      "getViewDims", (ins), [{}], [{ return std::nullopt; }]>,
  ];
}

def Grid_RefAccessOpInterface : OpInterface<"RefAccessOpInterface"> {
  let description = [{
    Refines the memory effects of an op on its Refs: the elements that it
    accesses, and how. An op that has effects on a Ref and does not implement
    this interface may read or write any part of the Ref, and may leave parts
    unchanged.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      The Ref that mask, indices and value are about; null where the op has none
      of them.
    }], "::mlir::Value", "getAccessedRef", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Elements whose mask is false are not accessed. It has the shape of the
      indices where there are some, else that of the Ref; null for none.
    }], "::mlir::Value", "getAccessMask", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Tensors of one shape whose elements are indices along `getAccessDims`;
      empty where the access is to all of the Ref.
    }], "::mlir::ValueRange", "getAccessIndices", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      The dimensions of the Ref that are indexed.
    }], "::llvm::ArrayRef<int64_t>", "getAccessDims", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      The result that holds the elements that were read, so that a target may
      use their memory for it; null where the op computes with them.
    }], "::mlir::Value", "getLoadedValue", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      The operand whose element `i` is written to element `i` of the Ref, or
      combined with it; null where the op writes in another order.
    }], "::mlir::OpOperand *", "getStoredOperand", (ins), [{}],
      [{ return nullptr; }]>,
    InterfaceMethod<[{
      Whether the op, or the asynchronous copy that it starts, writes every
      element of this operand in this program's memory, whatever they hold.
    }], "bool", "replacesAll", (ins "::mlir::Value":$ref), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
      Whether elements are read, combined and written at once.
    }], "bool", "isAtomicAccess", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether elements are moved only, so that nothing depends on what they hold.
    }], "bool", "isCopy", (ins), [{}], [{ return false; }]>,
  ];
  let extraSharedClassDeclaration = [{
    /// The mask over the elements of the Ref; null where indices choose them.
    ::mlir::Value getElementMask() {
      return $_op.getAccessIndices().empty() ? $_op.getAccessMask()
                                             : ::mlir::Value();
    }
    /// True if the access covers all elements of the Ref.
    bool isWholeAccess() {
      return $_op.getAccessIndices().empty() && !$_op.getAccessMask();
    }
  }];
}

def Grid_SemaphoreOpInterface : OpInterface<"SemaphoreOpInterface"> {
  let description = [{
    An op that signals semaphores or waits for them. An op that takes a
    semaphore and does not implement this interface may have any effect on it.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      What the op does to the semaphores of this program, in order.
    }], "::llvm::SmallVector<::gridir::grid::SemaphoreChange>",
      "getSemaphoreChanges">,
  ];
}

def Grid_ProgramOpInterface : OpInterface<"ProgramOpInterface"> {
  let description = [{
    An op at which a program depends on others: by their order, by
    communication, or by waiting. An op without this interface requires grid
    order if it has effects on anything except its Refs, or if its effects are
    unknown.
  }];
  let cppNamespace = "::gridir::grid";
  let methods = [
    InterfaceMethod<[{
      Whether, and why, the programs that run the op must run in the order of the
      grid.
    }], "::gridir::grid::ProgramOrder", "getProgramOrder", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      Whether other programs may run before the op has ended.
    }], "bool", "isSchedulingPoint", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      What the op needs of the devices that the call is mapped over. The calls of
      devices whose programs access each other's memory run together.
    }], "::gridir::grid::DeviceUse", "getDeviceUse", (ins), [{}],
      [{ return ::gridir::grid::DeviceUse::None; }]>,
    InterfaceMethod<[{
      Whether the op communicates with other programs: names one, or memory
      shared with one, so that programs can wait for one another.
    }], "bool", "meetsOtherPrograms", (ins), [{}],
      [{ return $_op.getDeviceUse() != ::gridir::grid::DeviceUse::None; }]>,
    InterfaceMethod<[{
      Whether the op needs a scheduler that decides which program continues
      there, even where there is only one.
    }], "bool", "needsTask", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_TD
