"""XLA programs around Mosaic modules that are written by hand, in the text form that libtpu reads."""

import base64
import json

BLOCK = "memref<8x128xf32, #tpu.memory_space<vmem>>"

# The transform's results are a hole.
ADD = """
"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%%i: i32, %%x: BLOCK, %%o: BLOCK):
    %%0 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %%1 = "stable_mosaic.vector.load"(%%x, %%0, %%0) : (BLOCK, index, index) -> vector<8x128xf32>
    %%2 = "stable_mosaic.arith.addf"(%%1, %%1) {fastmath = #arith.fastmath<none>}
      : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
    "stable_mosaic.tpu.vector_store"(%%2, %%o, %%0, %%0)
      {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>}
      : (vector<8x128xf32>, BLOCK, index, index) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (i32, BLOCK, BLOCK) -> (), sym_name = "add",
      dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>,
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>},
                       {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%%i: i32):
    %%0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%s) : (%s) -> ()
  }) {function_type = (i32) -> (%s), sym_name = "t"} : () -> ()
}) {stable_mosaic.version = 13 : i64} : () -> ()
""".replace("BLOCK", BLOCK)


def add(results: str = "%i, %0", types: str = "i32, i32") -> str:
    """A module that adds blocks to themselves; its index map gives what is asked for."""
    return ADD % (results, types, types)


def program(body: str, array: str = "tensor<32x128xf32>") -> bytes:
    """The program that calls a kernel of one operand and one result of that type."""
    config = {
        "custom_call_config": {
            "body": base64.b64encode(body.encode()).decode(),
            "serialization_format": 1,
            "needs_layout_passes": True,
        }
    }
    quoted = json.dumps(json.dumps(config)).replace('\\"', "\\22")
    return f"""
module attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func @main(%x: {array}) -> {array} {{
    %0 = stablehlo.custom_call @tpu_custom_call(%x) {{
      api_version = 1 : i32, backend_config = {quoted},
      operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]
    }} : ({array}) -> {array}
    return %0 : {array}
  }}
}}
""".encode()
