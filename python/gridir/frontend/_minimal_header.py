# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from jax.experimental import pallas as pl

from gridir.frontend import emit
from gridir.frontend.types import element_type, ref_type, space_name
from gridir.frontend.walker import walk
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def _elt(dt):
    n=dt.name
    if n.startswith("uint"): return "ui"+n[4:]
    return str(element_type(dt))

def build_kernel_header(request):
    from gridir.frontend.lower_kernel import make_context
    gm=request.grid_mapping
    A=ir.Attribute.parse
    module=ir.Module.create()
    dims=[]
    for i,d in enumerate(gm.grid):
        dims.append(A(f"#grid.dim<{d if isinstance(d,int) else '?'}{' vmapped' if i in gm.vmapped_dims else ''}>"))
    def operand(bm):
        a=bm.array_aval
        bs=[]
        for b in bm.block_shape:
            if isinstance(b,pl.Element): bs.append(f"element({b.block_size}, {b.padding[0]}, {b.padding[1]})")
            elif b is None or isinstance(b,pl.Squeezed): bs.append("squeezed")
            else: bs.append(str(getattr(b,'block_size',b)))
        blk=f" block [{', '.join(bs)}]" if tuple(bs)!=() else ""
        return A(f"#grid.operand<{_elt(a.dtype)} [{', '.join(map(str,a.shape))}]{blk} space {space_name(bm.block_aval.memory_space)} origin \"{bm.origin}\">")
    nidx=gm.num_index_operands
    index=[A(f"#grid.operand<{_elt(a.dtype)} [{', '.join(map(str,a.shape))}] space {space_name(v.aval.memory_space)}>") for a,v in zip(request.in_avals[gm.num_dynamic_grid_bounds:][:nidx],request.jaxpr.invars)]
    ops=[operand(b) for b in gm.block_mappings]
    attrs=dict(sym_name=ir.StringAttr.get(request.kernel_name),dims=ir.ArrayAttr.get(dims),index_operands=ir.ArrayAttr.get(index),inputs=ir.ArrayAttr.get(ops[:gm.num_inputs]),outputs=ir.ArrayAttr.get(ops[gm.num_inputs:]))
    if request.input_output_aliases:
        i64=ir.IntegerType.get_signless(64)
        attrs["aliases"]=ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get(list(p)) for p in request.input_output_aliases])
    with ir.InsertionPoint(module.body):
        k=emit.op("grid.kernel",[],[],attrs,regions=1+len(ops))
    tys=[ref_type(v.aval) for v in request.jaxpr.invars]
    k.regions[0].blocks.append(*tys,arg_locs=[ir.Location.unknown()]*len(tys))
    ctx=make_context(request,"cpu")
    for r,bm in zip(list(k.regions)[1:],gm.block_mappings):
        j=bm.index_map_jaxpr
        t=[emit.i32()]*len(gm.grid)+tys[:nidx]
        b=r.blocks.append(*t,arg_locs=[ir.Location.unknown()]*len(t))
        with ir.InsertionPoint(b):
            grid.YieldOp(walk(ctx,j.jaxpr,j.consts,list(b.arguments)))
    return module,k
