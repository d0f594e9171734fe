# RUN: rm -rf %t && mkdir %t && %python %S/Inputs/write_bundles.py %t && %python %s %t | FileCheck %s
"""A bundle is read as it was written, and no other file is read as one."""

import hashlib
import random
import sys
from pathlib import Path

from gridir.runtime.gpu import Bundle, BundleError, read_bundle
from gridir.runtime.gpu.launch import Launch

directory = Path(sys.argv[1])
contents = (directory / "both.gridir").read_bytes()
bundle = read_bundle(directory / "both.gridir")

# CHECK: the same bytes again: True
# CHECK: versions: ['gridir', 'jax']
print("the same bytes again:", bundle.to_bytes() == contents)
print("versions:", sorted(bundle.versions))

# CHECK: of 10000 mutants 0 are read
generator = random.Random(38)
number = 0
for _ in range(10_000):
    mutant = bytearray(contents)
    match generator.randrange(4):
        case 0:
            mutant[generator.randrange(len(mutant))] ^= 1 << generator.randrange(8)
        case 1:
            del mutant[generator.randrange(len(mutant)) :]
        case 2:
            mutant.insert(generator.randrange(len(mutant)), generator.randrange(256))
        case _:
            first, last = sorted(generator.sample(range(len(mutant)), 2))
            del mutant[first:last]
    try:
        Bundle.from_bytes(bytes(mutant))
        number += mutant != contents
    except BundleError:
        continue
print("of 10000 mutants", number, "are read")


def refused(data):
    try:
        Bundle.from_bytes(data, "k.gridir")
    except BundleError as error:
        print("refused:", error)


# CHECK: refused: expected a bundle of gridir, got k.gridir, which does not begin as one
refused(b"PK")
# CHECK: refused: expected a bundle of format 2, got k.gridir of format '3'
refused(contents.replace(b"gridir-bundle 2", b"gridir-bundle 3", 1))
# CHECK: refused: expected contents of k.gridir with the hash {{.*}}: the file is truncated, corrupted or edited
refused(contents[:-1])


def sealed(data):
    return b"gridir-bundle 2 " + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


# A hash does not make an archive of anything.
# CHECK: refused: expected a bundle of gridir, got k.gridir: File is not a zip file
refused(sealed(b"nothing"))

# CHECK: equal: True
launch = bundle.kernels[0].launch
print("equal:", Launch.from_json(launch.to_json()) == launch)
# CHECK: expected the description of a launch, got one with a wrong field: unknown kind of parameter 'texture'
# CHECK: expected the description of a launch, got one with a wrong field: {{.*}}'color'
for change in ({"parameters": [{"kind": "texture"}]}, {"color": 1}):
    try:
        Launch.from_json({**launch.to_json(), **change})
    except ValueError as error:
        print(error)
