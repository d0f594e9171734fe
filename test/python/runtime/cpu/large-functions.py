# RUN: rm -rf %t && %python %s %t | FileCheck %s

# A kernel of many loops and conditions is compiled in pieces, which change nothing of its results.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import numpy as np
from handwritten import X, call, elementwise

directory = os.environ["GRIDIR_CACHE_DIR"] = sys.argv[1]


def body(count):
    """So many loops, each on what the one before carries, and conditions between them, in a loop as large as all."""
    lines = ["%half = arith.constant 0.5 : f32", "%c2 = arith.constant 2 : index"]
    lines += ["%odd = arith.remui %j, %c2 : index", "%isOdd = arith.cmpi eq, %odd, %c1 : index"]
    lines += ["%w = scf.for %t = %c0 to %c2 step %c1 iter_args(%v0 = %v) -> f32 {"]
    for i in range(count):
        lines += [f"%l{i} = scf.for %k{i} = %c0 to %c2 step %c1 iter_args(%a{i} = %v{i}) -> f32 {{"]
        lines += [f"%b{i} = arith.mulf %a{i}, %half : f32", f"%s{i} = arith.addf %b{i}, %v : f32"]
        lines += [f"scf.yield %s{i} : f32", "}"]
        lines += [f"%v{i + 1} = scf.if %isOdd -> f32 {{", f"%d{i} = arith.subf %l{i}, %half : f32"]
        lines += [f"scf.yield %d{i} : f32", "} else {", f"scf.yield %l{i} : f32", "}"]
    return "\n".join([*lines, f"scf.yield %v{count} : f32", "}"])


def expected(count):
    x = np.asarray(X)
    value = x
    for _ in range(2 * count):
        for _ in range(2):
            value = value * np.float32(0.5) + x
        value = np.where(np.arange(x.shape[1]) % 2, value - np.float32(0.5), value)
    return value


# CHECK: 10 loops, in pieces: False, equal: True
# CHECK: 1000 loops, in pieces: True, equal: True
for count in (10, 1000):
    result = call(elementwise(body(count)), X, X)
    (entry,) = (entry.path for entry in os.scandir(directory) if entry.name != "llvmcache.timestamp")
    with open(entry, "rb") as file:
        pieces = set(re.findall(rb"k\.piece[.0-9]*", file.read()))
    os.remove(entry)
    equal = np.array_equal(np.asarray(result), expected(count))
    print(f"{count} loops, in pieces: {len(pieces) > 1}, equal: {equal}")
