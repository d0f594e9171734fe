# RUN: %python %s | FileCheck %s
"""The Python classes of the grid dialect: attributes made and read, a kernel built by hand, mistakes named."""

from gridir.mlir import ir
from gridir.mlir.dialects import arith, grid


def show(label, function):
    print(f"== {label}")
    try:
        print(function())
    except ValueError as error:
        print("ValueError:", error)


with ir.Context() as context, ir.Location.unknown():
    f32 = ir.F32Type.get()

    # Every attribute prints what it was made of, and its properties give it back.
    # CHECK-LABEL: == attributes
    # CHECK-NEXT: #grid.dim<4 named "rows" vmapped cluster> 4 rows True cluster
    # CHECK-NEXT: #grid.dim<?> None None False grid
    # CHECK-NEXT: #grid.block_dim<element(66, 1, 1)> element 66 (1, 1)
    # CHECK-NEXT: #grid.block_dim<squeezed> squeezed 1
    # CHECK-NEXT: #grid.pipeline<3, lookahead, revisit = any> 3 True any
    # CHECK-NEXT: #grid.pipeline<2> 2 False None None 0
    # CHECK-NEXT: #grid.pipeline<2, write_buffers = 3, prefetched = 1> 3 1
    # CHECK-NEXT: #grid.transform<tiling[8, 64]> tiling [8, 64]
    # CHECK-NEXT: #tpu.memory_space<vmem> tpu.vmem
    # CHECK-NEXT: #grid.semantics<parallel> parallel
    # CHECK-NEXT: !grid.semaphore<dma> dma
    # CHECK-NEXT: #grid.cost<flops = 8, transcendentals = 0, bytes_accessed = 96, remote_bytes_transferred = 1> 8 0 96 1
    # CHECK-NEXT: cpu {'default': 512, 'tpu.smem': 8}
    # CHECK-NEXT: x_ref default 512 1 8
    # CHECK-NEXT: o_ref tpu.smem 8 0 None
    print("== attributes")
    dim = grid.DimAttr.get(4, name="rows", vmapped=True, kind="cluster")
    print(dim, dim.size, dim.name, dim.vmapped, dim.kind)
    dim = grid.dim(None)
    print(dim, dim.size, dim.name, dim.vmapped, dim.kind)
    block = grid.BlockDimAttr.get(66, "element", (1, 1))
    print(block, block.kind, block.size, block.padding)
    block = grid.block_dim(None)
    print(block, block.kind, block.size)
    mode = grid.PipelineModeAttr.get(3, lookahead=True, revisit="any")
    print(mode, mode.buffers, mode.lookahead, mode.revisit)
    mode = grid.PipelineModeAttr.get(2)
    print(mode, mode.buffers, mode.lookahead, mode.revisit, mode.write_buffers, mode.prefetched)
    mode = grid.PipelineModeAttr.get(2, write_buffers=3, prefetched=1)
    print(mode, mode.write_buffers, mode.prefetched)
    transform = grid.TransformAttr.get("tiling", [8, 64])
    print(transform, transform.kind, transform.values)
    space = grid.MemorySpaceAttr.get("tpu.vmem")
    print(space, space.value)
    semantics = grid.DimSemanticsAttr.get("parallel")
    print(semantics, semantics.value)
    semaphore = grid.SemaphoreType.get("dma")
    print(semaphore, semaphore.kind)
    cost = grid.CostAttr.get(8, 0, 96, remote_bytes_transferred=1)
    print(cost, cost.flops, cost.transcendentals, cost.bytes_accessed, cost.remote_bytes_transferred)
    plan = grid.MemoryPlanAttr(
        ir.Attribute.parse(
            '#grid.memory_plan<"cpu" operands ['
            '<name = "x_ref", space = "default", block_bytes = 512, buffers = 1, fetches = 8>, '
            '<name = "o_ref", space = "tpu.smem", block_bytes = 8, buffers = 0>] '
            'spaces [<"default", 512>, <"tpu.smem", 8>]>'
        )
    )
    print(plan.target, plan.spaces)
    for memory in plan.operands:
        print(memory.name, memory.space, memory.block_bytes, memory.buffers, memory.fetches)

    # CHECK-LABEL: == operand
    # CHECK-NEXT: ui8 ['n', 512] [66, 1] tpu.vmem
    # CHECK-NEXT: #grid.pipeline<2> [] x_ref (*, *)
    # CHECK-NEXT: memref<66xi8, #tpu.memory_space<vmem>> tensor<?x512xi8>
    print("== operand")
    x = grid.operand(
        ir.IntegerType.get_unsigned(8),
        ["n", 512],
        block=[grid.BlockDimAttr.get(66, "element", (1, 1)), None],
        space="tpu.vmem",
        pipeline=grid.PipelineModeAttr.get(2),
        origin="x_ref",
        index_tree="(*, *)",
    )
    print(x.element_type, x.shape, [dim.size for dim in x.block], x.space)
    print(x.pipeline, x.transforms, x.origin, x.index_tree)
    print(x.ref_type, x.array_type)

    # A kernel is built by its header; body and index maps are blocks with their arguments.
    # CHECK-LABEL: == kernel
    # CHECK: grid.kernel @double grid(%i = 4, %j = ?)
    # CHECK-NEXT: inputs(%x_ref: f32 [512, 512] block [128, 128] at (%i, %j * 2) origin "x_ref")
    # CHECK-NEXT: outputs(%o_ref: f32 [512, 512] block [128, 128] at (%i, %j * 2) origin "o_ref")
    # CHECK-NEXT: scratch(%{{.*}}: memref<8xf32>)
    # CHECK-NEXT: semantics [parallel, arbitrary]
    # CHECK-NEXT: aliases [0 -> 0] functional
    # CHECK-NEXT: params [#grid.triton_params<num_warps = 4>]
    # CHECK-SAME: metadata = {who = "me"}
    # CHECK: %[[X:.*]] = grid.load %x_ref
    # CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[X]]
    # CHECK: grid.store %[[SUM]], %o_ref
    print("== kernel")
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = grid.KernelOp(
            "double",
            grid=[4, None],
            inputs=[grid.operand(f32, [512, 512], block=[128, 128], origin="x_ref")],
            outputs=[grid.operand(f32, [512, 512], block=[128, 128], origin="o_ref")],
            scratch=[ir.MemRefType.get([8], f32)],
            semantics=["parallel", "arbitrary"],
            aliases=[(0, 0)],
            functional_aliases=True,
            params=[ir.Attribute.parse("#grid.triton_params<num_warps = 4>")],
            metadata={"who": "me"},
        )
    for index_map in kernel.index_maps:
        with ir.InsertionPoint(index_map):
            i, j = index_map.arguments
            two = arith.constant(ir.IntegerType.get_signless(32), 2)
            grid.YieldOp([i, arith.muli(j, two)])
    x_ref, o_ref, _ = kernel.body.arguments
    with ir.InsertionPoint(kernel.body):
        value = grid.load_all(x_ref)
        grid.StoreOp(arith.addf(value, value), o_ref)
        grid.YieldOp([])
    print(module)
    # CHECK: verified True 1
    print("verified", module.operation.verify(), kernel.num_scratch)

    # The class stands for kernels that are read, too.
    # CHECK-NEXT: read KernelOp 2
    read = ir.Module.parse(str(module))
    [kernel] = read.body.operations
    print("read", type(kernel).__name__, len(kernel.index_maps))

    # The ops of a kernel determine its effects outside of the operands: a wait is for data that arrives at its own
    # device.
    # CHECK-LABEL: == outside (knows devices, accesses devices, has output)
    # CHECK-NEXT: arith.constant False False False
    # CHECK-NEXT: grid.device_id True False False
    # CHECK-NEXT: grid.copy_wait False False False
    # CHECK-NEXT: grid.copy_start False False False
    # CHECK-NEXT: grid.copy_start True True False
    # CHECK-NEXT: grid.semaphore_signal True True False
    # CHECK-NEXT: warpgroup.device_load True True False
    # CHECK-NEXT: warpgroup.device_store True True False
    # CHECK-NEXT: grid.print False False True
    # CHECK-NEXT: grid.callback False False True
    # CHECK-NEXT: grid.assert False False True
    print("== outside (knows devices, accesses devices, has output)")
    logical = "{device_id_type = #grid.device_id_type<logical>}"
    dma = "memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>"
    for op in (
        "",
        "%d = grid.device_id",
        f"grid.copy_wait %x, %y sem %s device(%n : i32) {logical} : memref<8xf32>, memref<8xf32>, {dma}",
        f"grid.copy_start %x, %y sem %s : memref<8xf32>, memref<8xf32>, {dma}",
        f"grid.copy_start %x, %y sem %s src_sem %s device(%n : i32) {logical}"
        f" : memref<8xf32>, memref<8xf32>, {dma}, {dma}",
        f"grid.semaphore_signal %r, %n device(%n : i32) {logical} : memref<!grid.semaphore<regular>>",
        f"%v = warpgroup.device_load %x device(%n : i32) {logical} : memref<8xf32> -> tensor<8xf32>",
        f"%v = grid.load %x : memref<8xf32> -> tensor<8xf32>\n"
        f"warpgroup.device_store %v to %x device(%n : i32) {logical} : tensor<8xf32>, memref<8xf32>",
        'grid.print "here"',
        'grid.callback "5f0c93e1"',
        '%t = arith.constant true\ngrid.assert %t, "never"',
    ):
        scratch = f"%x: memref<8xf32>, %y: memref<8xf32>, %s: {dma}, %r: memref<!grid.semaphore<regular>>"
        text = f"grid.kernel @outside grid(%i = 2) scratch({scratch}) {{\n%n = arith.constant 1 : i32\n{op}\n}}"
        parsed = ir.Module.parse(text)
        [kernel] = parsed.body.operations
        *_, last, _ = kernel.body.operations
        print(last.operation.name, kernel.knows_devices, kernel.accesses_devices, kernel.has_output)

    # CHECK-LABEL: == unknown names
    # CHECK-NEXT: ValueError: expected a memory space, got 'vmem'
    show("unknown names", lambda: grid.MemorySpaceAttr.get("vmem"))
    # CHECK: ValueError: expected a kind of grid dimension, got 'row'
    show("kind", lambda: grid.DimAttr.get(4, kind="row"))
    # CHECK: ValueError: expected a revisit mode, got 'never'
    show("revisit", lambda: grid.PipelineModeAttr.get(2, revisit="never"))
    # CHECK: ValueError: expected a semaphore kind, got 'counter'
    show("semaphore", lambda: grid.SemaphoreType.get("counter"))
    # CHECK: ValueError: expected a kind of block dimension, got 'strided'
    show("block dimension", lambda: grid.BlockDimAttr.get(8, "strided"))
    # Attributes created here have no location, so the message has none.
    # CHECK-NOT: at loc(unknown
    # CHECK: ValueError: expected a kind of transform, got 'reverse'
    show("transform", lambda: grid.TransformAttr.get("reverse", [0]))

    # Text cannot say these.
    # CHECK: ValueError: expected a squeezed dimension of size 1, got 2
    show("squeezed", lambda: grid.BlockDimAttr.get(2, "squeezed"))
    # CHECK: ValueError: expected padding on an element dimension only
    show("low padding", lambda: grid.BlockDimAttr.get(8, "blocked", (1, 0)))
    # CHECK: ValueError: expected padding on an element dimension only
    show("high padding", lambda: grid.BlockDimAttr.get(8, "bounded_slice", (0, 1)))

    # CHECK-LABEL: == block of another rank
    # CHECK-NEXT: ValueError: expected the block of x_ref to have the rank of its array, 2, got 1
    show("block of another rank", lambda: grid.operand(f32, [8, 128], block=[8], origin="x_ref"))

    # CHECK-LABEL: == no buffers
    # CHECK-NEXT: ValueError: expected at least one buffer, got 0
    show("no buffers", lambda: grid.PipelineModeAttr.get(0))
    # CHECK: ValueError: expected at least one write buffer, got
    show("no write buffers", lambda: grid.PipelineModeAttr.get(1, write_buffers=0))

    # Whatever a builder is given instead of an operand, it says what it expected.
    x = grid.operand(f32, [8])
    # CHECK-LABEL: == mistakes
    # CHECK-NEXT: operand: expected a sequence for shape, got 512
    # CHECK-NEXT: operand: expected a dimension in shape, got 5.5
    # CHECK-NEXT: operand: expected a dimension in shape that is not negative and fits 64 bits, got -4
    # CHECK-NEXT: operand: expected a dimension in shape that is not negative and fits 64 bits, got 9223372036854775808
    # CHECK-NEXT: operand: expected an element type, got 'f32'
    # CHECK-NEXT: operand: expected a dimension in block, got 1.5
    # CHECK-NEXT: operand: expected a memory space, got 3
    # CHECK-NEXT: operand: expected a pipeline mode, got 'double'
    # CHECK-NEXT: operand: expected a transform in transforms, got UnitAttr(unit)
    # CHECK-NEXT: operand: expected a string for origin, got 3
    # CHECK-NEXT: dim: expected a number of programs, got 'x'
    # CHECK-NEXT: dim: expected a number of programs that is not negative and fits 64 bits, got -1
    # CHECK-NEXT: dim: expected a dimension of a grid, got UnitAttr(unit)
    # CHECK-NEXT: KernelOp: expected a string for name, got 3
    # CHECK-NEXT: KernelOp: expected a sequence for grid, got 4
    # CHECK-NEXT: KernelOp: expected a dimension in grid, got 4.0
    # CHECK-NEXT: KernelOp: expected an operand in inputs, got F32Type(f32)
    # CHECK-NEXT: KernelOp: expected a sequence for inputs, got OperandAttr(
    # CHECK-NEXT: KernelOp: expected a type in scratch, got 'f32'
    # CHECK-NEXT: KernelOp: expected an alias of an operand and an output, got (0,)
    # CHECK-NEXT: KernelOp: expected a sequence for an alias, got 3
    # CHECK-NEXT: KernelOp: expected an attribute in params, got 3
    # CHECK-NEXT: KernelOp: expected an estimate of the cost, got 3
    # CHECK-NEXT: KernelOp: expected a string in metadata, got 3
    # CHECK-NEXT: KernelOp: expected a mapping for metadata, got ['a']
    # CHECK-NEXT: KernelOp: expected a string for backend, got True
    # CHECK-NEXT: KernelOp: expected an attribute in jax, got 3
    # CHECK-NEXT: KernelOp: expected a location in arg_locs, got 3
    # CHECK-NEXT: load_all: expected a Ref, got F32Type(f32)
    print("== mistakes")
    unit = ir.UnitAttr.get()
    for builder, arguments, options in [
        (grid.operand, (f32, 512), {}),
        (grid.operand, (f32, [5.5]), {}),
        (grid.operand, (f32, [-4]), {}),
        (grid.operand, (f32, [2**63]), {}),
        (grid.operand, ("f32", [8]), {}),
        (grid.operand, (f32, [8]), {"block": [1.5]}),
        (grid.operand, (f32, [8]), {"space": 3}),
        (grid.operand, (f32, [8]), {"pipeline": "double"}),
        (grid.operand, (f32, [8]), {"transforms": [unit]}),
        (grid.operand, (f32, [8]), {"origin": 3}),
        (grid.dim, ("x",), {}),
        (grid.dim, (-1,), {}),
        (grid.dim, (unit,), {}),
        (grid.KernelOp, (3,), {}),
        (grid.KernelOp, ("k",), {"grid": 4}),
        (grid.KernelOp, ("k",), {"grid": [4.0]}),
        (grid.KernelOp, ("k",), {"inputs": [f32]}),
        (grid.KernelOp, ("k",), {"inputs": x}),
        (grid.KernelOp, ("k",), {"scratch": ["f32"]}),
        (grid.KernelOp, ("k",), {"aliases": [(0,)]}),
        (grid.KernelOp, ("k",), {"aliases": [3]}),
        (grid.KernelOp, ("k",), {"params": [3]}),
        (grid.KernelOp, ("k",), {"cost": 3}),
        (grid.KernelOp, ("k",), {"metadata": {"a": 3}}),
        (grid.KernelOp, ("k",), {"metadata": ["a"]}),
        (grid.KernelOp, ("k",), {"backend": True}),
        (grid.KernelOp, ("k",), {"jax": {"a": 3}}),
        (grid.KernelOp, ("k",), {"inputs": [x], "arg_locs": [3]}),
        (grid.load_all, (f32,), {}),
    ]:
        try:
            builder(*arguments, **options)
            print(f"{builder.__name__}: no error")
        except ValueError as error:
            print(f"{builder.__name__}: {error}")

    # Where attributes of one kind are expected, any may be given.
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 8)
    # CHECK: ValueError: expected a dimension of a block, got 8 : i64
    show("block of a number", lambda: grid.OperandAttr.get(f32, [8], block=[number]))
    # CHECK: ValueError: expected a transform, got 8 : i64
    show("number as a transform", lambda: grid.OperandAttr.get(f32, [8], transforms=[number]))
    # CHECK: ValueError: expected a pipeline mode, got 8 : i64
    show("number as a pipeline", lambda: grid.OperandAttr.get(f32, [8], pipeline=number))
