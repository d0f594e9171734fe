// Invalid ABIs: one error in each chunk.
//
// RUN: gridir-opt %s --verify-diagnostics --split-input-file

module {
  // expected-error @below {{expected the entry to be a symbol of the module, got @other}}
  kernel.abi @other
  func.func private @k()
}

// -----

func.func private @k() {
  // expected-error @below {{'kernel.abi' op expects parent op 'builtin.module'}}
  kernel.abi @k
  return
}

// -----

module {
  // expected-error @below {{expected only fields of the ABI, got "arena"}}
  kernel.abi @k {arena = 64}
  func.func private @k()
}

// -----

module {
  // expected-error @below {{custom op 'arena' is unknown}}
  kernel.abi @k arena = 64
  func.func private @k()
}

// -----

module {
  // expected-error @below {{'kernel.abi' op attribute 'arena_bytes' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  kernel.abi @k arena_bytes = -1
  func.func private @k()
}

// -----

module {
  // expected-error @below {{'kernel.abi' op requires attribute 'entry'}}
  "kernel.abi"() <{arena_bytes = 1 : i64}> : () -> ()
}

// -----

module {
  // expected-error @below {{expected numbers, or arrays of numbers of static shape, got 'tensor<?xf32>'}}
  kernel.abi @k prints = [#kernel.print<"{}"(tensor<?xf32>)>]
  func.func private @k()
}

// -----

module {
  // expected-error @below {{expected numbers, or arrays of numbers of static shape, got 'none'}}
  kernel.abi @k prints = [#kernel.callback<"id", "a function"(i32, none)>]
  func.func private @k()
}

// -----

module {
  // expected-error @below {{expected numbers, or arrays of numbers of static shape, got 'tensor<8xvector<2xf32>>'}}
  kernel.abi @k unwritten_operands = [#kernel.unwritten<0, "o_ref", tensor<8xvector<2xf32>>>]
  func.func private @k()
}

// -----

module {
  // expected-error @below {{attribute 'prints' failed to satisfy constraint: sites that print or call a function}}
  kernel.abi @k prints = ["text"]
  func.func private @k()
}

// -----

// expected-error @below {{expected kernel.mapping to be a #kernel.mapping of a module, got #kernel.mapping<num_warps = 4> of 'func.func'}}
func.func private @k() attributes {kernel.mapping = #kernel.mapping<num_warps = 4>}

// -----

// expected-error @below {{expected kernel.buffer to be a #kernel.buffer, got "pinned"}}
func.func private @k() attributes {kernel.buffer = "pinned"}

// -----

// expected-error @below {{expected kernel.buffer or kernel.mapping, got "kernel.arena_bytes"}}
module attributes {kernel.arena_bytes = 64 : i64} {
}

// -----

module {
  // expected-error @+1 {{expected memory of two work items or more, or 0 for all, got 64 bytes of 1}}
  kernel.abi @own shared_memory = [#kernel.shared<members = 1, bytes = 64>]
  func.func private @own()
}
