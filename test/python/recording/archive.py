# RUN: %python %s %t.gridir | FileCheck %s

# A record is written and read as it was, and what is no record of this version is refused.

import dataclasses
import io
import json
import pathlib
import sys
import zipfile

import ml_dtypes
import numpy as np
from gridir.compiler.targets import CPU, GPU, get_target
from gridir.errors import Error
from gridir.recording.archive import load, save
from gridir.recording.record import Record, draw, options_of, read_options

operands = (
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array(3, np.int32),
    np.array([1.5, -2.0], ml_dtypes.bfloat16),
    np.array([True, False]),
    np.zeros((0, 4), ml_dtypes.float8_e4m3fn),
    np.array([1, -2], ml_dtypes.int4),
    np.array([1 + 2j], np.complex64),
)
record = Record(
    name="add",
    module=b"module",
    target="gpu:sm_90a",
    options={"num_warps": 2},
    operands=operands,
    results=operands[:1],
    oracle="interpret mode",
    aliases={0: 0},
    wide=((np.ones(2), np.ones((8, 2))),),
    seconds=0.5,
    source="add_kernel at add.py:12",
    program="add.py",
    versions={"gridir": "0.1.0"},
)


def same(x, y):
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return x == y


save(record, sys.argv[1])
again = load(sys.argv[1])
# CHECK: other after a round trip: []
fields = [field.name for field in dataclasses.fields(Record)]
print("other after a round trip:", [name for name in fields if not same(getattr(record, name), getattr(again, name))])

# With a seed the floats are not in the file; integers, which may be indices, are.
drawn = dataclasses.replace(record, operands=draw(operands, 7), seed=7)
stream = io.BytesIO()
save(drawn, stream)
# CHECK: members: ['module.mlirbc', 'operands/1.npy', 'operands/3.npy', 'operands/5.npy', 'record.json']
# CHECK: the same operands: True
with zipfile.ZipFile(stream) as archive:
    print(
        "members:", sorted(name for name in archive.namelist() if not name.startswith(("results", "exact", "samples")))
    )
print("the same operands:", same(load(stream).operands, drawn.operands))

with zipfile.ZipFile(sys.argv[1]) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
description = json.loads(members["record.json"])


def refuse(what, **changes):
    """Says what becomes of a file with other members; of None there is none."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in (members | changes).items():
            if content is not None:
                archive.writestr(name, content)
    show(what, stream)


def show(what, stream):
    try:
        load(stream)
        print(f"{what}: no error")
    except Error as error:
        print(f"{what}: {type(error).__name__}: {error.message}")


def describe(**changes):
    return json.dumps({k: v for k, v in (description | changes).items() if v is not ...}).encode()


# CHECK: text: RecordError: the stream: expected a record of a kernel: File is not a zip file
show("text", io.BytesIO(b"def f(): pass"))
# CHECK: cut off: RecordError: the stream: expected a record of a kernel: File is not a zip file
show("cut off", io.BytesIO(pathlib.Path(sys.argv[1]).read_bytes()[:-40]))
# CHECK: another archive: RecordError: the stream: expected a record of a kernel, got an archive without record.json
refuse("another archive", **{"record.json": None})
# CHECK: another format: RecordError: the stream: expected format 'gridir-record', got another file
refuse("another format", **{"record.json": describe(format="wheel")})
# CHECK: a later version: RecordError: the stream: expected a record of version 1, got version 2
refuse("a later version", **{"record.json": describe(version=2)})
# CHECK: a field more: RecordError: the stream: expected the fields of version 1, got a record with 'script'
refuse("a field more", **{"record.json": describe(script="rm")})
# CHECK: a field less: RecordError: the stream: expected the fields of version 1, got a record without 'aliases'
refuse("a field less", **{"record.json": describe(aliases=...)})
# CHECK: a former field: no error
refuse("a former field", **{"record.json": describe(has_warpgroups=True)})
# CHECK: a number for a name: RecordError: the stream: expected a field 'name' of another type, got 3
refuse("a number for a name", **{"record.json": describe(name=3)})
# CHECK: not JSON: RecordError: the stream: expected a record of a kernel: Expecting property name
refuse("not JSON", **{"record.json": b"{"})
arrays = description["arrays"]
# CHECK: other arrays: RecordError: the stream: expected arrays among operands, results, exact, samples, got
refuse("other arrays", **{"record.json": describe(arrays={"inputs": []})})
# CHECK: exact alone: RecordError: the stream: expected exact results with their samples, got one of the two
refuse("exact alone", **{"record.json": describe(arrays={k: v for k, v in arrays.items() if k != "samples"})})
odd = {"dtype": "object", "shape": [1]}
# CHECK: objects: RecordError: the stream: expected a dtype and a shape, got
refuse("objects", **{"record.json": describe(arrays=arrays | {"results": [odd]})})
# CHECK: no dtype: RecordError: the stream: expected a dtype and a shape, got 'float32'
refuse("no dtype", **{"record.json": describe(arrays=arrays | {"results": ["float32"]})})
# CHECK: no memory: RecordError: the stream: expected sizes that memory can hold, got [1099511627776]
refuse(
    "no memory", **{"record.json": describe(arrays=arrays | {"results": [{"dtype": "float32", "shape": [1 << 40]}]})}
)
# CHECK: another alias: RecordError: the stream: expected pairs of an operand and a result, got [0, 9]
refuse("another alias", **{"record.json": describe(aliases=[[0, 9]])})
# CHECK: no array: RecordError: the stream: expected a member operands/0.npy, got none
refuse("no array", **{"operands/0.npy": None})
# CHECK: a member more: RecordError: the stream: expected members that version 1 has, got 'setup.py'
refuse("a member more", **{"setup.py": b""})
# CHECK: another array: RecordError: the stream: expected float32[2, 3] in operands/0.npy, got int32[]
refuse("another array", **{"operands/0.npy": members["operands/1.npy"]})
pickled = io.BytesIO()
np.save(pickled, np.array([{}], object), allow_pickle=True)
# CHECK: a pickle: RecordError: the stream: expected a record of a kernel: Object arrays cannot
refuse("a pickle", **{"operands/0.npy": pickled.getvalue()})

twice = io.BytesIO()
with zipfile.ZipFile(twice, "w") as archive:
    for name in (*members, "module.mlirbc"):
        archive.writestr(name, members[name])
# CHECK: a member twice: RecordError: the stream: expected members with names of their own, got one twice
show("a member twice", twice)

bomb = io.BytesIO()
with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("record.json", members["record.json"])
content = bytearray(bomb.getvalue())
# The size that the directory of the archive states, beyond what a record may have.
at = content.rindex(b"PK\x01\x02") + 24
content[at : at + 4] = (0xFFFFFFF0).to_bytes(4, "little")
bomb = io.BytesIO(bytes(content))
# CHECK: too large: RecordError: the stream: expected a record of at most 2147483648 bytes, got 4294967280
show("too large", bomb)

# Options are those of the target; others are refused.
options = GPU.options(num_warps=2)
# CHECK: options: {'num_warps': 2} True
print("options:", options_of(options), read_options(GPU, options_of(options)) == options)
# CHECK: chip: sm_80
print("chip:", read_options(get_target("gpu:sm_80"), {}).chip)
try:
    read_options(CPU, {"turbo": True})
except Error as error:
    # CHECK: expected options of target 'cpu' (opt_level, codegen_level, cpu, features, {{.*}}), got 'turbo'
    print(error.message)
try:
    dataclasses.replace(record, passes="cse").kernel("cpu")
except Error as error:
    # CHECK: expected target 'gpu:sm_90a', for which the module is lowered, got 'cpu'
    print(error.message)
