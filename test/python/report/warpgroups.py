# RUN: %python %s %repository | FileCheck %s

# Of a kernel whose threads are warpgroups a report has barriers, with who arrives and who waits, and where each Ref is
# in shared memory. A target that refuses it is shown with the refusal.
import importlib
import linecache
import sys

sys.path.insert(0, f"{sys.argv[1]}/examples/mosaic_gpu")
from gridir.report.build import build_report

example = importlib.import_module("wgmma_matmul")
arguments = example.example_args()
report = build_report(
    example.wgmma_matmul, arguments, name="wgmma_matmul", path=example.__file__, targets=["tpu", "gpu"], run=False
)
(kernel,) = report.kernels

# CHECK: 2 i, 3 j, 3 wg thread
print(", ".join(f"{d.size} {d.name} {d.kind}".strip() for d in kernel.grid.dimensions))

# CHECK: full: 4 barriers of 2 arrivals, by tma_load {{[0-9]+}} tma_load {{[0-9]+}}; barrier_wait {{[0-9]+}}
# CHECK: empty: 4 barriers of 2 arrivals, by barrier_arrive {{[0-9]+}}; barrier_wait {{[0-9]+}} barrier_wait {{[0-9]+}}
for barrier in kernel.barriers:
    arrive, wait = (" ".join(f"{u.op} {u.frames[0].line}" for u in uses) for uses in (barrier.arrive, barrier.wait))
    print(f"{barrier.name}: {barrier.count} barriers of {barrier.arrivals} arrivals, by {arrive}; {wait}")

# CHECK: tpu:v5e: expected a kernel for a TPU, got one for the warpgroups of a GPU
for verdict in report.verdicts:
    print(f"{verdict.target}: {verdict.message}")

# CHECK: gpu:sm_90a: a_smem 65536 at byte 0, b_smem 65536 at byte 65,536, o_smem 32768 at byte 131,072
for view in kernel.targets[1:]:
    entries = view.ledger.entries if view.ledger else ()
    held = ", ".join(f"{e.name} {e.held} {e.note}" for e in entries if e.note.startswith("at"))
    print(f"{view.target}: {held}")

# The products of the matrix unit lead to the line of the example that asks for them.
# CHECK: wgmma: {'plgpu.wgmma(acc, a_smem.at[slot, mine], b_smem.at[slot])'}
ptx = next(listing for listing in kernel.targets[1].listings if listing.stage == "ptx")
found = {
    linecache.getline(*origins[0]).strip()
    for line, origins in zip(ptx.lines, ptx.origins, strict=True)
    if "wgmma.mma_async" in line
}
print("wgmma:", found)
