# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file that holds compiled kernels and everything that launches of them need.

A bundle is one line of text, `gridir-bundle VERSION SHA256`, followed by a zip archive, whose hash the line has. The
archive holds `bundle.json` and the parts that it names, a PTX text and cubins of each kernel, each with its own hash.
Only its kernels are executed, on a GPU.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridir.errors import Error, KernelError
from gridir.reading import check_items, check_value, reading
from gridir.runtime.gpu.chips import capability_of
from gridir.runtime.gpu.launch import Launch

FORMAT = 3
_MAGIC, _INDEX = b"gridir-bundle", "bundle.json"
_BYTE = 8
_ELEMENT = re.compile(r"bool|u?int([248]|16|32|64)|b?float(16)|float(32|64)|float([48])_[a-z0-9]+|complex(64|128)")
"""The names of element types, with their bits."""
_LINE_BYTES = len(_MAGIC) + 32 + 64
_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all parts, so that equal kernels give equal files."""


class BundleError(Error, ValueError):
    """The file is not a bundle, or was modified."""


@dataclasses.dataclass(frozen=True)
class OperandInfo:
    """An operand of a kernel, as its caller passes it.

    Attributes:
      name: the author's name of it.
      dtype: the element type, as NumPy or ml_dtypes name it.
      shape: the sizes; the array is row-major and has no gaps.
      alignment: the address is a multiple of this many bytes.
      is_output: true if the kernel writes it.
      alias: the number of the input in whose memory an output is; None for memory of its own.
      per_byte: elements in a byte, the first in its lowest bits; 1 if each has a byte or more.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    alignment: int
    is_output: bool
    alias: int | None = None
    per_byte: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(self.shape))

    def __str__(self) -> str:
        packing = "" if self.per_byte == 1 else f", {self.per_byte} in a byte"
        return f"{self.dtype}{list(self.shape)}{packing}"


@dataclasses.dataclass(frozen=True)
class BundledKernel:
    """A kernel of a bundle.

    Attributes:
      name: the kernel's name.
      chip: the chip that it was compiled for, as LLVM names it.
      launch: how it is launched.
      operands: inputs, then outputs.
      ptx: the text.
      cubins: machine code by the chip that it is for.
    """

    name: str
    chip: str
    launch: Launch
    operands: tuple[OperandInfo, ...]
    ptx: str = dataclasses.field(repr=False)
    cubins: dict[str, bytes] = dataclasses.field(repr=False, default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Bundle:
    """Compiled kernels.

    Attributes:
      kernels: the kernels in the order in which the function calls them.
      versions: the versions of gridir, JAX and ptxas that made the bundle.
    """

    kernels: tuple[BundledKernel, ...]
    versions: dict[str, str]

    def to_bytes(self) -> bytes:
        """Returns the contents of the file; equal bundles give equal contents."""
        parts: dict[str, bytes] = {}
        index: dict[str, Any] = {"format": FORMAT, "versions": self.versions, "kernels": []}
        for number, kernel in enumerate(self.kernels):
            images = {"ptx": kernel.ptx.encode(), **kernel.cubins}
            record: dict[str, Any] = {
                "name": kernel.name,
                "chip": kernel.chip,
                "launch": kernel.launch.to_json(),
                "operands": [dataclasses.asdict(operand) for operand in kernel.operands],
                "images": {},
            }
            for kind, image in images.items():
                name = f"{number}/{kernel.launch.entry}.{'ptx' if kind == 'ptx' else f'{kind}.cubin'}"
                parts[name] = image
                record["images"][kind] = {"part": name, "sha256": hashlib.sha256(image).hexdigest()}
            index["kernels"].append(record)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for name, data in {_INDEX: json.dumps(index, indent=1).encode(), **parts}.items():
                file.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
        data = archive.getvalue()
        return b"%s %d %s\n" % (_MAGIC, FORMAT, hashlib.sha256(data).hexdigest().encode()) + data

    @staticmethod
    def from_bytes(contents: bytes, path: str = "<bundle>") -> Bundle:
        """Returns the bundle of a file.

        Raises:
          BundleError: when the contents are not those of `to_bytes`, to the last bit.
        """
        line, end, data = contents[:_LINE_BYTES].partition(b"\n")
        words = line.split(b" ")
        if not end or len(words) != 3 or words[0] != _MAGIC:
            raise BundleError(f"expected a bundle of gridir, got {path}, which does not begin as one")
        if words[1] != b"%d" % FORMAT:
            version = words[1].decode(errors="replace")
            raise BundleError(f"expected a bundle of format {FORMAT}, got {path} of format {version!r}")
        data = contents[len(line) + 1 :]
        found = hashlib.sha256(data).hexdigest()
        if words[2] != found.encode():
            raise BundleError(
                f"expected contents of {path} with the hash {words[2].decode(errors='replace')}, got {found}: "
                "the file is truncated, corrupted or edited"
            )
        with reading(BundleError, f"expected a bundle of gridir, got {path}"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                index = json.loads(_read_part(archive, _INDEX))
                kernels = tuple(_read_kernel(record, archive) for record in index["kernels"])
            versions = dict(index["versions"])
            check_items("versions", [*versions.values()], str)
            return Bundle(kernels, versions)


def _read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    # Other methods of compression raise errors of their own modules, which not every Python has.
    method = archive.getinfo(name).compress_type
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise KernelError(f"expected the part {name} to be stored or deflated, got compression method {method}")
    return archive.read(name)


def _read_kernel(record: dict[str, Any], archive: zipfile.ZipFile) -> BundledKernel:
    images = {}
    for kind, image in record["images"].items():
        images[kind] = _read_part(archive, image["part"])
        if hashlib.sha256(images[kind]).hexdigest() != image["sha256"]:
            raise KernelError(f"expected the part {image['part']} with the hash {image['sha256']}, got another one")
    check_value("name", record["name"], str)
    kernel = BundledKernel(
        name=record["name"],
        chip=record["chip"],
        launch=Launch.from_json(record["launch"]),
        operands=tuple(OperandInfo(**operand) for operand in record["operands"]),
        ptx=images.pop("ptx").decode(),
        cubins=images,
    )
    for chip in (kernel.chip, *kernel.cubins):
        capability_of(chip)
    kernel.launch.check(len(kernel.operands))
    packed = dict(kernel.launch.packed_operands)
    for number, operand in enumerate(kernel.operands):
        _check_operand(operand, kernel.operands)
        _check_packing(operand, packed.get(number, 1))
    return kernel


def _check_operand(operand: OperandInfo, operands: Sequence[OperandInfo]) -> None:
    item_bytes(operand.dtype)
    if not isinstance(operand.name, str) or not isinstance(operand.is_output, bool):
        raise KernelError(f"expected the name and the kind of an operand, got {operand!r}")
    if any(type(size) is not int or size < 0 for size in operand.shape):
        raise KernelError(f"expected sizes of at least 0 of {operand.name}, got {list(operand.shape)}")
    if type(operand.alignment) is not int or operand.alignment < 1:
        raise KernelError(f"expected an alignment of at least 1 of {operand.name}, got {operand.alignment!r}")
    if operand.alias is not None and (
        type(operand.alias) is not int
        or not 0 <= operand.alias < len(operands)
        or not operand.is_output
        or operands[operand.alias].is_output
    ):
        raise KernelError(f"expected the number of an input as the alias of {operand.name}, got {operand.alias!r}")


def _check_packing(operand: OperandInfo, per_byte: int) -> None:
    bits = element_bits(operand.dtype)
    fits = per_byte == 1 or (bits * per_byte == _BYTE and operand.shape and operand.shape[-1] % per_byte == 0)
    if operand.per_byte != per_byte or not fits:
        raise KernelError(
            f"expected the number of elements in a byte of {operand.name} to be {per_byte}, got {operand.per_byte!r} "
            f"of {operand.dtype}{list(operand.shape)}"
        )


def element_bits(dtype: str) -> int:
    """Returns the bits of an element.

    Raises:
      KernelError: for a name that is no element type.
    """
    found = re.fullmatch(_ELEMENT, dtype)
    if found is None:
        raise KernelError(f"expected the name of an element type, got {dtype!r}")
    return int(next((bits for bits in found.groups() if bits), _BYTE))


def item_bytes(dtype: str) -> int:
    """Returns the bytes of an element that shares them with no other.

    Raises:
      KernelError: for a name that is no element type.
    """
    return max(element_bits(dtype) // _BYTE, 1)


def bytes_of(operand: OperandInfo) -> int:
    """Returns the bytes of an operand."""
    return math.prod(operand.shape) * item_bytes(operand.dtype) // operand.per_byte


def write_bundle(bundle: Bundle, path: str | Path) -> None:
    """Writes a bundle to a file."""
    Path(path).write_bytes(bundle.to_bytes())


def read_bundle(path: str | Path) -> Bundle:
    """Reads a bundle.

    Raises:
      BundleError: when the file is not one that `write_bundle` wrote, to the last bit.
      OSError: when it cannot be read.
    """
    return Bundle.from_bytes(Path(path).read_bytes(), str(path))


def names_of(kernels: Sequence[BundledKernel]) -> str:
    """Returns the names of kernels for a message."""
    return ", ".join(kernel.name for kernel in kernels) or "none"
