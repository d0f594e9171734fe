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
    An op whose result names memory of the Refs that it takes and that moves no
    data. An op without it that gives a Ref may name any part of its operands.
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
    What the memory effects of an op on its Refs leave open: which elements are
    meant, and what becomes of them. An op that has effects on a Ref and not this
    interface may read or write any part of the Ref, and may leave parts alone.
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
    /// Whether the access is to all elements that the Ref names.
    bool isWholeAccess() {
      return $_op.getAccessIndices().empty() && !$_op.getAccessMask();
    }
  }];
}

def Grid_SemaphoreOpInterface : OpInterface<"SemaphoreOpInterface"> {
  let description = [{
    An op that adds to semaphores or waits for them. An op that takes a semaphore
    and has not this interface may do anything to it.
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
    An op at which a program depends on others: by the order in which they run,
    by communication, or by waiting. An op without it that has effects on
    anything but its Refs, or of which no effects are known, needs the order of
    the grid.
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
