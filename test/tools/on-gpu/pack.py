# RUN: rm -rf %t && env GRIDIR_PTXAS=%S/../../python/cli/Inputs/ptxas %python %s %repository %t | FileCheck %s
"""A pack of launches and its runner, on the stand-in driver: PTX, cubins, and the code of another compiler."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

root, pack = Path(sys.argv[1]), Path(sys.argv[2])
here = Path(__file__).parent
sys.path.insert(0, str(root / "tools" / "on-gpu"))


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    print(done.stdout.replace(str(root), "") + done.stderr[-1500:], end="")


# CHECK: tiles.py: packed
# CHECK-NEXT: pack.py.tmp: 1 launches, {{0.[0-9]}} MB
run(root / "tools" / "on-gpu", pack, "--cubins", "--files", here / "Inputs" / "tiles.py")

import peers
from gridir.runtime import gpu, ptx

driver = ptx.open_driver()
driver.pretend(9)

# The same code, launched by other host code, takes the place of another compiler's.
(case,) = (pack / "cases").glob("*.npz")
with np.load(case) as arrays:
    head, text = json.loads(arrays["head"].tobytes()), arrays["ptx"].tobytes().decode()
    print("codes:", sorted(name for name in arrays.files if name in ("ptx", "cubin")))
# CHECK-NEXT: codes: ['cubin', 'ptx']


def aligned(size):
    space = np.zeros(size + 256, np.uint8)
    return space[-space.ctypes.data % 256 :][:size]


made = []
operands = [aligned(256 * 64 * 4) for _ in range(3)]
peers.observe(driver, made)
with driver.memory(operands):
    function = gpu.open_device(0).load(text.encode()).function(gpu.Launch.from_json(head["launch"]))
    function.run([x.ctypes.data for x in operands])
((found, peer),) = made
# CHECK-NEXT: the same text: True
# CHECK-NEXT: sizes: [4, 1, 1] [128, 1, 1] [1, 1, 1]
# CHECK-NEXT: parameters: 0, 1, 2, maps [0], maps [1], maps [2]
print("the same text:", found == text)
print("sizes:", peer["grid"], peer["block"], peer["cluster"])
shown = [f"maps {[y['operand'] for y in x['maps']]}" if "maps" in x else str(x["operand"]) for x in peer["parameters"]]
print("parameters:", ", ".join(shown))

# CHECK-NEXT: an address of memory that is not an operand
# CHECK-NEXT: an argument of 16 bytes
# CHECK-NEXT: an argument of 128 bytes that is no tensor map
# CHECK-NEXT: a tensor map of a part of an operand
# CHECK-NEXT: {'value': 7}
moved = peers._MAP.pack(peers._MAP_MAGIC, 4, 1, 0, 4096 + 64, *[16] * 14, 4).ljust(128, b"\0")
for data in ((4100).to_bytes(8, "little"), bytes(16), bytes(128), moved, (7).to_bytes(4, "little")):
    try:
        print(peers.parameter_of(data, [4096], [(4096, 8192)]))
    except ValueError as error:
        print(error)

peers.add_peer(case, text, peer)
# CHECK-NEXT: | code | launches | equal to the bit | by rounding only | different | not launched | failed |
# CHECK: | gridir, PTX | 1 | 1 | 0 | 0 | 0 | 0 |
# CHECK-NEXT: | gridir, cubin | 1 | 1 | 0 | 0 | 0 | 0 |
# CHECK-NEXT: | JAX's pipeline, PTX | 1 | 1 | 0 | 0 | 0 | 0 |
# CHECK: | kernel | gridir (us) | JAX's pipeline (us) | JAX / gridir |
# CHECK: | body | {{[0-9.]+}} | {{[0-9.]+}} | {{[0-9.]+}} |
paths = os.pathsep.join([str(here / "Inputs" / "stand_in"), os.environ.get("PYTHONPATH", "")])
options = "--jobs", "2", "--turns", "2", "--out", pack / "results.json"
run(pack / "run.py", pack, *options, PYTHONPATH=paths)

# Wrong results and code that no driver takes are rows of the table, and lines below it.
# A launch that fails costs a process, and not the launch after it.
# CHECK: | gridir, PTX | 1 | 0 | 0 | 0 | 0 | 1 |
# CHECK-NEXT: | gridir, cubin | 1 | 1 | 0 | 0 | 0 | 0 |
# CHECK-NEXT: | JAX's pipeline, PTX | 1 | 0 | 0 | 1 | 0 | 0 |
# CHECK: peer_ptx: {'status': 'different'
# CHECK: ptx: {'status': 'failed', 'message': 'cuModuleLoadDataEx failed with 200
with np.load(case) as arrays:
    changed = {name: arrays[name] for name in arrays.files}
wrong = text.replace("add.rn.f32", "sub.rn.f32").replace("add.f32", "sub.f32")
assert wrong != text
changed |= {"ptx": np.frombuffer(b"no PTX", np.uint8), "peer_ptx": np.frombuffer(wrong.encode(), np.uint8)}
np.savez_compressed(case, allow_pickle=False, **changed)
run(pack / "run.py", pack, *options, "--jobs", "1", PYTHONPATH=paths)

# The pack has all of gridir that it needs: no other package, and no gridir, is there.
# CHECK: alone: ['gridir']
names = "sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'__main__'})"
code = f"import sys; sys.path.insert(0, {str(pack / 'lib')!r}); import gridir.runtime.gpu; print('alone:', {names})"
run("-I", "-S", "-c", code)

# Elements that share bytes for bulk copies have bytes of their own for threads.
# CHECK: nibbles.py: packed
# CHECK: | gridir, PTX | 1 | 1 | 0 | 0 | 0 | 0 |
narrow = pack / "narrow"
run(root / "tools" / "on-gpu", narrow, "--files", here / "Inputs" / "nibbles.py")
run(narrow / "run.py", narrow, "--jobs", "1", "--out", pack / "narrow.json", PYTHONPATH=paths)

# CHECK: expected a pack of at most 60 MB, got 70.
with (pack / "large").open("wb") as file:
    file.truncate(70_000_000)
run(root / "tools" / "on-gpu", pack, "--files")
