# RUN: rm -rf %t && %python %s %t | FileCheck %s

# The disk cache: found by the content of the kernel and its options, rebuilt when damaged, never trusted.
import dataclasses
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import numpy as np
from gridir.runtime import cpu
from handwritten import OPTIONS, X, call, elementwise

directory = os.environ["GRIDIR_CACHE_DIR"] = sys.argv[1]
TEXT = elementwise("%w = arith.addf %v, %v : f32", abi='diagnostics = ["text"]')
number = 0


def entries():
    """The paths of the entries; beside them lies the time of the last pruning."""
    return [entry.path for entry in os.scandir(directory) if entry.name != "llvmcache.timestamp"]


def origin(text=TEXT, options=OPTIONS):
    """Prepares the kernel under a key that this process does not know, checks its result, says where it came from."""
    global number
    number += 1
    key = f"key {number}"
    prepared = cpu.prepare("k", key, text.encode(), options)
    assert np.array_equal(call(text, X, X, options=options, key=key), 2 * X)
    return prepared.origin


# CHECK: first: compiled
print("first:", origin())
# CHECK: again: disk
print("again:", origin())
# CHECK: other options: compiled
print("other options:", origin(options=dataclasses.replace(OPTIONS, opt_level=2)))
# CHECK: other content: compiled
print("other content:", origin(TEXT.replace("%v, %v", "%v,  %v")))
# CHECK: entries: 3
print("entries:", len(entries()))

for entry in entries():
    os.remove(entry)
origin()
(entry,) = entries()
with open(entry, "rb") as file:
    good = file.read()
outcomes = set()
for damaged in (
    b"",
    good[:10],
    good[:-1],
    good + b"x",
    *(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :] for at in range(0, len(good), len(good) // 40)),
):
    with open(entry, "wb") as file:
        file.write(damaged)
    outcomes.add(origin())
    with open(entry, "rb") as file:
        assert file.read() == good, "a damaged entry is replaced by a good one"
# CHECK: damaged: {'compiled'}
print("damaged:", outcomes)

# A cache that cannot be written changes nothing else.
os.environ["GRIDIR_CACHE_DIR"] = os.path.join(entry, "no", "directory")
# CHECK: no directory: compiled
print("no directory:", origin())
