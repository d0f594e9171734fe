# RUN: rm -rf %t && mkdir %t && %python %S/Inputs/write_bundles.py %t both && %python %s %t | FileCheck %s
"""A bundle is read as it was written, and no other file is read as one."""

import hashlib
import io
import json
import random
import sys
import zipfile
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
# CHECK: refused: expected a bundle of format 3, got k.gridir of format '4'
refused(contents.replace(b"gridir-bundle 3", b"gridir-bundle 4", 1))
# CHECK: refused: expected contents of k.gridir with the hash {{.*}}: the file is truncated, corrupted or edited
refused(contents[:-1])


def sealed(data):
    return b"gridir-bundle 3 " + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


# A hash does not make an archive of anything.
# CHECK: refused: expected a bundle of gridir, got k.gridir: File is not a zip file
refused(sealed(b"nothing"))

# A bundle whose hashes somebody made anew is read as it was written, or refused.
# CHECK: of 2000 archives 0 differ
number = 0
archive_bytes = contents.split(b"\n", 1)[1]
for _ in range(2000):
    mutant = bytearray(archive_bytes)
    mutant[generator.randrange(len(mutant))] ^= 1 << generator.randrange(8)
    try:
        number += Bundle.from_bytes(sealed(bytes(mutant))) != bundle
    except BundleError:
        continue
print("of 2000 archives", number, "differ")


def rebuilt(change, compression=zipfile.ZIP_STORED):
    """A bundle whose index is changed."""
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive_bytes)) as old, zipfile.ZipFile(data, "w", compression) as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "bundle.json":
                index = json.loads(part)
                change(index)
                part = json.dumps(index).encode()
            new.writestr(name, part)
    return sealed(data.getvalue())


# CHECK: refused: {{.*}}the part bundle.json to be stored or deflated, got compression method 12
refused(rebuilt(lambda index: None, zipfile.ZIP_BZIP2))
# CHECK: refused: {{.*}}the part bundle.json to be stored or deflated, got compression method 14
refused(rebuilt(lambda index: None, zipfile.ZIP_LZMA))


def places(value, path=()):
    """All paths to a value in JSON."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(path, value):
    def change(index):
        for key in path[:-1]:
            index = index[key]
        index[path[-1]] = value

    return change


# Every field of the index with values of other types and out of range. Texts and switches may have other values.
# CHECK: fields: of {{[0-9]+}} numbers of a launch {{[0-9]+}} are refused, the same: True
with zipfile.ZipFile(io.BytesIO(archive_bytes)) as file:
    whole = json.loads(file.read("bundle.json"))
tried = failed = 0
for path in places(whole):
    for value in (None, -1, 1 << 70, 1.5, "x", [], {}, True):
        if not path:
            continue
        old = whole
        for key in path:
            old = old[key]
        is_number = "launch" in path and type(old) is int and "alias" not in path
        try:
            Bundle.from_bytes(rebuilt(put(path, value)))
        except BundleError:
            failed += is_number
        tried += is_number
        # A constant may be negative.
        if is_number and path[-1] == "value" and value == -1:
            failed += 1
print(f"fields: of {tried} numbers of a launch {failed} are refused, the same: {tried == failed}")

# CHECK: expected the name of an element type, got 'float'
# CHECK: expected sizes of at least 0 of x_ref, got [-1]
# CHECK: expected an alignment of at least 1 of x_ref, got 0
# CHECK: expected the number of an input as the alias of x_ref, got 1
# CHECK: expected the name and the kind of an operand, got OperandInfo(
# CHECK: expected the number of elements in a byte of x_ref to be 1, got 2 of float32[64, 128]
# CHECK: expected threads from 1 to 1024 in the description of a launch, got 0
# CHECK: expected a parameter for the report of checks in the description of a launch, got none
# CHECK: expected texts as the entry and the diagnostics of a launch
# CHECK: expected the name of a chip, as sm_90a, got 'sm'
operand, first = ("kernels", 0, "operands", 0), ("kernels", 0, "launch")
for path, value in (
    ((*operand, "dtype"), "float"),
    ((*operand, "shape"), [-1]),
    ((*operand, "alignment"), 0),
    ((*operand, "alias"), 1),
    ((*operand, "name"), 1),
    ((*operand, "per_byte"), 2),
    ((*first, "threads"), 0),
    (first, {**whole["kernels"][0]["launch"], "diagnostics": ["a"], "parameters": []}),
    ((*first, "entry"), 1),
    (("kernels", 0, "chip"), "sm"),
):
    refused(rebuilt(put(path, value)))

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
