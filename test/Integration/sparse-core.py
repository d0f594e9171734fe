# What the SparseCores of a TPU do, as native code of the CPU, against NumPy: registers, Refs at arrays of indices,
# copies of rows, barriers, and the memory that the subcores of a core share.
#
# RUN: %python %s | FileCheck %s

from collections import Counter

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic import sc_primitives
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

LANES, SUBCORES = 16, 16
chip = jax.sharding.AbstractDevice(device_kind="TPU7x", num_cores=1, platform="tpu")
X = np.random.default_rng(3).permutation(LANES).astype(np.int32)
MASK = X % 3 != 0
LANE = np.arange(LANES)


def on_subcore(body, *args, out, scratch=()):
    """Runs `body` on one vector subcore, whose Refs hold the arguments and what it gives."""
    mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s", num_cores=1, num_subcores=1)
    outs = jax.tree.leaves(out)
    held = [pltpu.VMEM(a.shape, a.dtype) for a in (*args, *outs)]

    def kernel(*refs):
        hbm, vmem = refs[: len(held)], refs[len(held) : 2 * len(held)]
        for source, dest in zip(hbm[: len(args)], vmem, strict=False):
            pltpu.sync_copy(source, dest)
        body(*vmem, *refs[2 * len(held) :])
        for source, dest in zip(vmem[len(args) :], hbm[len(args) :], strict=True):
            pltpu.sync_copy(source, dest)

    call = pl.kernel(
        kernel,
        out_type=[jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs],
        mesh=mesh,
        scratch_types=[*held, *scratch],
    )
    return [np.asarray(y) for y in call(*args)]


checked = Counter()


def check(what, got, *wanted):
    """Compares arrays, all of them."""
    assert len(got) == len(wanted), what
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(g, w, err_msg=what)
    checked[what] += 1


def assigned(function):
    """A body that writes what a function of the values of its first Refs gives to the last ones."""

    def body(*refs):
        count = function.__code__.co_argcount - len(function.__defaults__ or ())
        results = function(*(ref[...] for ref in refs[:count]))
        results = results if isinstance(results, tuple | list) else (results,)
        for ref, result in zip(refs[count:], results, strict=True):
            ref[...] = result.astype(ref.dtype)

    return body


def scans():
    def cumulative(x, f):
        so_far, seen = [], []
        for value, chosen in zip(x, MASK, strict=True):
            seen += [value] if chosen else []
            so_far.append(f(seen) if seen else value)
        return np.array(so_far, x.dtype)

    for dtype in (np.int32, np.uint32, np.float32):
        x = X.astype(dtype)
        for name, f in (("cummax", max), ("cummin", min)):
            op = getattr(sc_primitives, name)
            check(
                name,
                on_subcore(assigned(lambda x, m, op=op: op(x, mask=m != 0)), x, MASK.astype(np.int32), out=x),
                cumulative(x, f),
            )
        got = on_subcore(assigned(lambda x, m: plsc.cumsum(x, mask=m != 0)), x, MASK.astype(np.int32), out=x)
        check("cumsum", got, np.cumsum(np.where(MASK, x, 0), dtype=dtype))
    x = (X % 4).astype(np.int32)
    occurrences = np.array([np.sum((x[: i + 1] == v) & MASK[: i + 1]) for i, v in enumerate(x)], np.int32)
    occurrences = np.where(MASK, occurrences, 1)
    later = [(x[i + 1 :] == v) & MASK[i + 1 :] for i, v in enumerate(x)]
    last = np.array([m and not np.any(again) for m, again in zip(MASK, later, strict=True)])
    got = on_subcore(assigned(lambda x, m: plsc.scan_count(x, m != 0)), x, MASK.astype(np.int32), out=(x, x))
    check("scan_count", got, occurrences, last.astype(np.int32))


def reductions():
    for mask in (MASK, np.zeros(LANES, bool), np.ones(LANES, bool)):
        got = on_subcore(
            assigned(lambda m: (plsc.all_reduce_population_count(m != 0), plsc.all_reduce_ffs(m != 0))),
            mask.astype(np.int32),
            out=(X, X),
        )
        first = int(np.argmax(mask)) if mask.any() else LANES
        check("all_reduce", got, np.full(LANES, mask.sum()), np.full(LANES, first))


def sorts():
    for keys in (X - 8, (X - 8).astype(np.float32), X.astype(np.uint32), (X // 4).astype(np.int32)):
        for descending in (False, True):
            order = np.argsort(-keys.astype(np.int64) if descending else keys, kind="stable")
            sort = assigned(lambda k, v, d=descending: plsc.sort_key_val(k, v, descending=d))
            check("sort", on_subcore(sort, keys, LANE.astype(np.int32), out=(keys, X)), keys[order], LANE[order])
            chosen = np.argsort(np.where(MASK, np.argsort(order, kind="stable"), LANES), kind="stable")
            sort = assigned(lambda k, v, m, d=descending: plsc.sort_key_val(k, v, mask=m != 0, descending=d))
            got = on_subcore(sort, keys, LANE.astype(np.int32), MASK.astype(np.int32), out=(keys, X, X))
            check("sort", got, keys[chosen], LANE[chosen], MASK.sum() > LANE)


def packs():
    for dtype, packed in ((np.float32, jnp.bfloat16), (np.int32, np.int16)):
        a, b = X.astype(dtype), (-X).astype(dtype)
        joined = np.stack([a, b], axis=1).reshape(-1).astype(packed)
        for form in plsc.PackFormat:

            def there_and_back(a, b, form=form):
                return plsc.unpack(plsc.pack(a, b, format=form), format=form)

            check("unpack", on_subcore(assigned(there_and_back), a, b, out=(a, b)), a, b)
        pack = assigned(lambda a, b: plsc.pack(a, b, format=plsc.PackFormat.INTERLEAVED))
        check("pack", on_subcore(pack, a, b, out=joined), joined)
        pack = assigned(lambda a, b: plsc.pack(a, b, format=plsc.PackFormat.COMPRESSED))
        pairs = np.concatenate([a, b]).reshape(-1, 2).astype(packed)
        check("pack", on_subcore(pack, a, b, out=pairs), pairs)
    check("bitcast", on_subcore(assigned(lambda x: plsc.bitcast(x, jnp.int8)), X, out=X.view(np.int8)), X.view(np.int8))


def elements():
    table = np.arange(4 * LANES, dtype=np.float32).reshape(4, LANES)

    def gather(t, i, m, o, p):
        o[...] = plsc.load_gather(t, [i[...] % 4, i[...]])
        p[...] = plsc.load_gather(t.at[2], [i[...]], mask=m[...] != 0)

    got = on_subcore(gather, table, X, MASK.astype(np.int32), out=(table[0], table[0]))
    check("load_gather", got, table[X % 4, X], np.where(MASK, table[2, X], 0))

    def scatter(x, i, m, o, p):
        o[...] = jnp.ones_like(o)
        p[...] = jnp.ones_like(p)
        plsc.store_scatter(o, [i[...]], x[...], mask=m[...] != 0)
        plsc.addupdate_scatter(p, [i[...] // 2], x[...], mask=m[...] != 0)

    stored, added = np.ones(LANES, np.int32), np.ones(LANES, np.int32)
    stored[X[MASK]] = LANE[MASK]
    np.add.at(added, X[MASK] // 2, LANE[MASK])
    got = on_subcore(scatter, LANE.astype(np.int32), X, MASK.astype(np.int32), out=(stored, added))
    check("store_scatter", got, stored, added)

    def compress(x, m, o, p, q):
        mask = m[...] != 0
        for ref in (o, p):
            ref[...] = jnp.zeros_like(ref)
        plsc.store_compressed(o.at[...], x[...], mask=mask)
        for _ in range(3):
            plsc.addupdate_compressed(p.at[...], x[...], mask=mask)
        plsc.addupdate(p.at[...], x[...])
        q[...] = plsc.load_expanded(x.at[...], mask=mask)

    front = np.concatenate([X[MASK], np.zeros(LANES - MASK.sum(), np.int32)])
    expanded = np.zeros(LANES, np.int32)
    expanded[MASK] = X[: MASK.sum()]
    got = on_subcore(compress, X, MASK.astype(np.int32), out=(X, X, X))
    check("store_compressed", got, front, 3 * front + X, expanded)


def loops():
    def body(x, o, p):
        @plsc.parallel_loop(0, LANES, step=4, unroll=2, carry=(jnp.int32(0), jnp.zeros(4, jnp.int32)))
        def total(i, carry):
            count, sums = carry
            part = x[pl.ds(i, 4)]
            o[pl.ds(i, 4)] = part + count
            return count + 1, sums + part

        p[...] = jnp.where(lax.iota(jnp.int32, 4) == 0, total[0], total[1])

    sums = X.reshape(4, 4).sum(0, dtype=np.int32)
    sums[0] = 4
    check("parallel_loop", on_subcore(body, X, out=(X, sums)), X + LANE // 4, sums)


def rows():
    """Every subcore takes rows of a table, adds others to them, and puts the sums where their indices say."""
    table = np.arange(64 * 8, dtype=np.int32).reshape(64, 8)
    order = np.random.default_rng(5).permutation(SUBCORES * 4).astype(np.int32)
    mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s", num_cores=2, num_subcores=SUBCORES // 2)

    def kernel(t, i, o, indices, held):
        mine = pl.ds((lax.axis_index("c") * mesh.num_subcores + lax.axis_index("s")) * 4, 4)
        pltpu.sync_copy(i.at[mine], indices)
        pltpu.sync_copy(t.at[indices], held)
        pltpu.sync_copy(t.at[indices[...]], held, add=True)
        pltpu.sync_copy(t.at[plsc.Indices(indices, ignored_value=7)], held, add=True)
        # A number of rows that is computed.
        count = lax.axis_index("c") + 2
        pltpu.sync_copy(t.at[indices.at[pl.ds(0, count)]], held.at[pl.ds(0, count)], add=True)
        pltpu.sync_copy(held, o.at[indices])

    scratch = [pltpu.VMEM((4,), np.int32), pltpu.VMEM((4, 8), np.int32)]
    got = pl.kernel(kernel, out_type=jax.typeof(table), mesh=mesh, scratch_types=scratch)(table, order)
    times = np.zeros(64, np.int32)
    for core, four in enumerate(order.reshape(2, -1, 4)):
        times[four] = 3
        times[four[:, : core + 2]] += 1
    times[7] -= 1
    check("rows", [np.asarray(got)], table * times[:, None])


def shared():
    """The subcores of a core add to memory that they share: each core has its own."""
    cores, wide = 2, 8
    x = np.arange(cores * SUBCORES * wide, dtype=np.int32).reshape(cores, SUBCORES, wide)
    mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s", num_cores=cores, num_subcores=SUBCORES)

    def kernel(x, i, o, sums, held, indices):
        core, subcore = lax.axis_index("c"), lax.axis_index("s")
        pltpu.sync_copy((x.at[core, subcore], i), (held, indices))

        @pl.when(subcore == 3)
        def _():
            pltpu.sync_copy(held, sums)

        plsc.subcore_barrier()
        pltpu.sync_copy(held, sums.at[indices], add=True)
        plsc.subcore_barrier()
        pltpu.sync_copy(sums, o.at[core, subcore])

    scratch = [pltpu.VMEM_SHARED((wide,), np.int32), pltpu.VMEM((wide,), np.int32), pltpu.VMEM((wide,), np.int32)]
    call = pl.kernel(kernel, out_type=jax.typeof(x), mesh=mesh, scratch_types=scratch)
    reversed_lanes = np.arange(wide, dtype=np.int32)[::-1]
    sums = x.sum(1)[:, ::-1] + x[:, 3]
    check("shared", [np.asarray(call(x, reversed_lanes))], np.broadcast_to(sums[:, None], x.shape))


def together():
    """A scalar subcore leaves what it has read in memory that the vector subcores of its core read."""
    cores = 2
    x = np.arange(cores * 8, dtype=np.int32).reshape(cores, 8)
    vector = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s", num_cores=cores, num_subcores=3)
    scalar = plsc.ScalarSubcoreMesh(axis_name="c", num_cores=cores)

    def reads(x, o, spmem, ready):
        pl.semaphore_wait(ready)
        pltpu.sync_copy(spmem, o.at[lax.axis_index("c"), lax.axis_index("s")])

    def writes(x, o, spmem, ready):
        pltpu.sync_copy(x.at[lax.axis_index("c")], spmem)
        for subcore in range(3):
            pl.semaphore_signal(ready, device_id={"s": subcore})

    call = pl.kernel(
        [reads, writes],
        out_type=jax.ShapeDtypeStruct((cores, 3, 8), np.int32),
        mesh=[vector, scalar],
        scratch_types=[pltpu.VMEM_SHARED((8,), np.int32), pltpu.SemaphoreType.REGULAR @ vector],
    )
    check("together", [np.asarray(call(x))], np.broadcast_to(x[:, None], (cores, 3, 8)))


with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), (), abstract_device=chip)):
    with gridir.installed(checks=["races", "semaphores"]):
        for part in (scans, reductions, sorts, packs, elements, loops, rows, shared, together):
            part()
    # Subcores that begin later do not fill what others have written.
    with gridir.installed(checks=["uninitialized"]):
        shared()
# CHECK: cummax 3, cummin 3, cumsum 3, scan_count 1, all_reduce 3, sort 16, unpack 4, pack 4, bitcast 1
# CHECK-SAME: load_gather 1, store_scatter 1, store_compressed 1, parallel_loop 1, rows 1, shared 2, together 1
print(", ".join(f"{name} {count}" for name, count in checked.items()))
