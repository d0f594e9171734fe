# RUN: rm -rf %t && mkdir %t && %python %s %t | FileCheck %s
"""A file that another program has changed is read as it is, or is an error of gridir: of any byte, and of any value."""

import hashlib
import io
import random
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
from gridir.errors import Error
from gridir.reading import check_fields, check_items, check_value, reading
from gridir.recording import archive
from gridir.recording.record import Record
from gridir.runtime.gpu.bundle import Bundle, BundledKernel, OperandInfo
from gridir.runtime.gpu.launch import Launch, Operand
from gridir.runtime.ptx.recording import Recording, read_recording
from gridir.runtime.tpu.steps import Steps
from gridir.tuning.backend import Outcome
from gridir.tuning.cache import Cache
from gridir.tuning.results import Entry, Problem, TuningResult

directory, generator = Path(sys.argv[1]), random.Random(38)
VALUES = [
    b"",
    b"-1",
    b"1e400",
    b"NaN",
    b"null",
    b"[]",
    b"{}",
    b"true",
    b"99999999999999999999",
    b"[" * 5000,
    b"\xff",
    b'"x"',
]


def change_bytes(data):
    mutant = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 4))):
        size = max(len(mutant), 1)
        # Headers of archives are at the ends of the file.
        place = generator.choice((generator.randrange(size), size - 1 - generator.randrange(min(size, 100))))
        match generator.randrange(5):
            case 0:
                mutant[place : place + 1] = bytes([generator.randrange(256)])
            case 1:
                del mutant[place:]
            case 2:
                mutant.insert(place, generator.randrange(256))
            case 3:
                del mutant[place : place + generator.randrange(50)]
            case _:
                mutant[place : place + 4] = b"\xff\xff\xff\x7f"
    return bytes(mutant)


def change_value(data):
    spots = [found.span() for found in re.finditer(rb'"[^"]*"|-?[0-9.]+|null|true|false|[\[\]{}:,]', data)]
    start, end = generator.choice(spots)
    other = data[slice(*generator.choice(spots))]
    return data[:start] + generator.choice([other, *VALUES]) + data[end:]


def change_member(data):
    """Changes one member of an archive, whose checksum is that of the new contents."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(result, "w") as new:
        victim = generator.choice(old.namelist())
        for name in old.namelist():
            part = old.read(name)
            if name == victim:
                part = change_value(part) if name.endswith("json") else change_bytes(part)
            new.writestr(name, part)
    return result.getvalue()


def count(title, original, read, *changes):
    """Reads mutants; any exception but an error of gridir ends the test."""
    read(original)
    refused = 0
    for _ in range(600):
        try:
            read(generator.choice(changes)(original))
        except Error:
            refused += 1
    print(title, "most are refused:", refused > 300)


operand = OperandInfo("x", "float32", (8,), 16, is_output=True)
kernel = BundledKernel("add", "sm_90a", Launch("add", 32, 1, (Operand(0),)), (operand,), "ptx", {"sm_90a": b"cubin"})
bundle = Bundle((kernel,), {"gridir": "1"}).to_bytes()


def sealed(change):
    """Changes the archive of a bundle, and makes its hash anew."""

    def changed(data):
        inner = change(data.split(b"\n", 1)[1])
        return b"gridir-bundle 2 " + hashlib.sha256(inner).hexdigest().encode() + b"\n" + inner

    return changed


# CHECK: bundle: most are refused: True
count("bundle:", bundle, Bundle.from_bytes, change_bytes, sealed(change_bytes), sealed(change_member))


def read_file(data):
    path = directory / "file"
    path.write_bytes(data)
    return archive.load(path)


x = np.arange(6, dtype=np.float32)
record = io.BytesIO()
archive.save(Record("add", b"module", "cpu", {}, (x, x.astype(np.int32)), (x,), seed=1, versions={"jax": "1"}), record)
# CHECK-NEXT: record: most are refused: True
# CHECK-NEXT: record in a file: most are refused: True
count("record:", record.getvalue(), lambda data: archive.load(io.BytesIO(data)), change_bytes, change_member)
count("record in a file:", record.getvalue(), read_file, change_bytes, change_member)
# A file that is not there is no broken record.
# CHECK-NEXT: FileNotFoundError
try:
    archive.load(directory / "none")
except OSError as error:
    print(type(error).__name__)


def read_launch(data):
    path = directory / "launch.npz"
    path.write_bytes(data)
    return read_recording(path)


one, launch = np.zeros(8, np.uint8), {"grid": (1, 1, 1), "block": (32, 1, 1), "cluster": None}
path = directory / "launch.npz"
Recording("f", "", {**launch, "shared_bytes": 0, "blocks_at_once": 0}, (4096,), (one,), (one,), (one + 1,)).save(path)
# CHECK-NEXT: launch: most are refused: True
count("launch:", path.read_bytes(), read_launch, change_bytes, change_member)


def read_result(data):
    result = TuningResult.loads(data.decode(errors="surrogateescape"))
    str(result), str(result | result), result.dumps()
    for problem in result.problems:
        problem.keywords()


outcomes = {
    "estimate": Outcome(1e-6, "", "memory", 10, {"steps": 2.0}, ("rough",)),
    "measure": Outcome(2e-6),
}
entries = Entry({"b": 1, "c": (1, 2)}, outcomes), Entry({"b": 2, "c": (1, 2)}, {"estimate": Outcome.illegal("no")})
problem = Problem("m.f", "f32[8]", "tpu:v5e", "", {"b": None, "c": None}, entries, ("a note",))
# CHECK-NEXT: result: most are refused: True
count("result:", TuningResult([problem]).dumps().encode(), read_result, change_bytes, change_value)

cache = Cache(directory / "cache")
cache.put("abcd", outcomes["estimate"].to_json())
(place,) = (directory / "cache").rglob("*.json")


def read_cached(data):
    place.write_bytes(data)
    if cache.get("abcd", Outcome.from_json) is None:
        raise Error("damaged")


# CHECK-NEXT: cache: most are refused: True
count("cache:", place.read_bytes(), read_cached, change_bytes, change_value)


def fails(call, *args):
    try:
        call(*args)
    except ValueError as error:
        print(error)


# CHECK-NEXT: expected an object with a, b, got [1]
# CHECK-NEXT: expected an object with a, b, got one without 'b'
# CHECK-NEXT: expected an object with a, b, got one with 'c'
# CHECK-NEXT: expected b of type str or None, got 1
# CHECK-NEXT: expected a of type int or float, got True
# CHECK-NEXT: expected a of type int or float, got nan
# CHECK-NEXT: expected an item of a of type str, got 2
kinds = {"a": (int, float), "b": (str, type(None))}
fails(check_fields, [1], kinds)
fails(check_fields, {"a": 1}, kinds)
fails(check_fields, {"a": 1, "b": "", "c": 1}, kinds)
fails(check_fields, {"a": 1, "b": 1}, kinds)
fails(check_fields, {"a": True, "b": ""}, kinds)
fails(check_value, "a", float("nan"), kinds["a"])
fails(check_items, "a", ["", 2], str)

# CHECK-NEXT: RecordError expected a record: MemoryError
# CHECK-NEXT: RecordError of its own
for fault in (MemoryError(), archive.RecordError("of its own")):
    try:
        with reading(archive.RecordError, "expected a record"):
            raise fault
    except Error as error:
        print(type(error).__name__, error)


def refused(read, *args):
    try:
        read(*args)
    except Error as error:
        print(error)


# Parts of a file that contradict one another.
# CHECK-NEXT: expected memory of the same sizes after the launch, got {{.*}}launch.npz
settings = {**launch, "shared_bytes": 0, "blocks_at_once": 0}
Recording("f", "", settings, (4096,), (), (one,), (one[:4] + 1,)).save(path)
refused(read_recording, path)
# CHECK-NEXT: expected bytes as memory_0, got float32[8]
Recording("f", "", settings, (4096,), (), (one,), (one,)).save(path)
parts = dict(np.load(path))
np.savez(path, **{**parts, "memory_0": parts["memory_0"].astype(np.float32)})
refused(read_recording, path)
# CHECK-NEXT: expected as many values of each kind of step, got others
rows = {"count": [1], "cycles": [1], "products": [1], "bytes": []}
fails(Steps.from_json, {**rows, "before": 0, "exposed": 0, "notes": []})
# CHECK-NEXT: expected outcomes of {{.*}}, got {{.*}}guess
refused(TuningResult.loads, TuningResult([problem]).dumps().replace('"estimate":', '"guess":'))
# CHECK-NEXT: expected a configuration with d, got
refused(Problem("m.f", "f32[8]", "tpu:v5e", "", {"b": None, "d": None}, entries, ()).keywords)
