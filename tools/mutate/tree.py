# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build tree with every mutant in it: the developer build with some objects and modules replaced.

Only sources with mutants are compiled again. The static libraries that hold them are copied with the new objects, the
native library is linked from the copies, and the rest of the tree consists of links to the developer build.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cpp
import py
from mutant import Mutant, instrument

LIBRARY = "python/gridir/mlir/_mlir_libs/libGridir.so"

SWITCH_HEADER = """
extern "C" int gridirActiveMutant;
extern "C" unsigned char gridirReachedMutants[];
static inline bool gridirIsMutant(int number) {
  gridirReachedMutants[number] = 1;
  return gridirActiveMutant == number;
}
"""

SWITCH_SOURCE = """
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
extern "C" {{
int gridirActiveMutant = getenv("GRIDIR_MUTANT") ? atoi(getenv("GRIDIR_MUTANT")) : 0;
unsigned char gridirReachedMutants[{count} + 1];
}}
namespace {{
struct Report {{
  ~Report() {{
    const char *directory = getenv("GRIDIR_MUTANT_LOG");
    if (!directory)
      return;
    FILE *file = fopen((directory + ("/" + std::to_string(getpid()))).c_str(), "a");
    for (int number = 1; file && number <= {count}; ++number)
      if (gridirReachedMutants[number])
        fprintf(file, "%d\\n", number);
    if (file)
      fclose(file);
  }}
}} report;
}} // namespace
"""

SWITCH_MODULE = '''
"""Which mutant is on, and which were reached."""
import atexit
import os

_active = int(os.environ.get("GRIDIR_MUTANT", "0"))
_directory = os.environ.get("GRIDIR_MUTANT_LOG")
_reached = set()


def is_mutant(number):
    """True if the mutant is active."""
    _reached.add(number)
    return number == _active


def _report():
    with open(os.path.join(_directory, str(os.getpid())), "a") as file:
        file.writelines(f"{number}\\n" for number in _reached)


if _directory:
    atexit.register(_report)
'''


# lit passes only named variables to tests; this adds those of mutants, and sets the directory of the outputs.
SITE = """
import os
config.environment |= {k: v for k, v in os.environ.items() if k.startswith("GRIDIR_MUTANT")}
config.test_exec_root = os.environ.get("GRIDIR_MUTANT_SCRATCH", config.test_exec_root)
"""


def sources_of(unit: Path) -> list[Path]:
    """The sources that are compiled as one translation unit: those that CMake includes in one, or the unit itself."""
    if unit.parent.name != "Unity":
        return [unit]
    return [Path(path) for path in re.findall(r'^#include "(.*)"$', unit.read_text(), re.MULTILINE)]


class Tree:
    """The build tree of one campaign."""

    def __init__(self, repository: Path, build: Path, tree: Path):
        self.repository, self.build, self.root = repository, build, tree
        self._commands = {
            Path(entry["file"]).resolve(): shlex.split(entry["command"])
            for entry in json.loads((build / "compile_commands.json").read_text())
        }
        self._units = {source: unit for unit in self._commands for source in sources_of(unit)}

    def make(self, mutants: Sequence[Mutant], jobs: int) -> list[Mutant]:
        """Builds the tree, and returns the mutants that the compiler accepts.

        Raises:
          SystemExit: when a file does not compile, whichever of its mutants are left out, or the library does not link.
        """
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / "objects").mkdir(parents=True)
        (self.root / "switch.h").write_text(SWITCH_HEADER)
        of_unit: dict[Path, list[Mutant]] = defaultdict(list)
        for mutant in mutants:
            if mutant.file.endswith(".cpp"):
                unit = self._units[(self.repository / mutant.file).resolve()]
                if (self.build / self._archive_of(unit)[0]).exists():
                    of_unit[unit].append(mutant)
                else:
                    print(f"left out, no part of the native library: {mutant}", file=sys.stderr)
        with ThreadPoolExecutor(jobs) as pool:
            accepted = pool.map(self._compile, of_unit, of_unit.values())
            kept = {mutant.number for some in accepted for mutant in some}
        self._mirror([mutant for mutant in mutants if mutant.file.endswith(".py")])
        if of_unit:
            self._link(sorted(of_unit), count=max(mutant.number for mutant in mutants))
        else:
            (self.root / LIBRARY).symlink_to(self.build / LIBRARY)
        return [mutant for mutant in mutants if mutant.number in kept or mutant.file.endswith(".py")]

    def _copy(self, path: Path) -> Path:
        """Where the copy of a source is that is compiled instead of it."""
        root = self.build if path.is_relative_to(self.build) else self.repository.resolve()
        return self.root / "objects" / str(path.relative_to(root)).replace("/", "__")

    def _object(self, unit: Path) -> Path:
        return self._copy(unit).with_suffix(".o")

    def _compile(self, unit: Path, mutants: Sequence[Mutant]) -> Sequence[Mutant]:
        """Compiles one translation unit, without the mutants in lines that the compiler refuses."""
        sources = {(self.repository / mutant.file).resolve(): mutant.file for mutant in mutants}
        command = [str(self._copy(unit)) if Path(word).resolve() == unit else word for word in self._commands[unit]]
        command[command.index("-o") + 1] = str(self._object(unit))
        position = command.index("-c")
        # Includes are looked for beside the originals, by their path in the repository.
        beside = [f"-I{folder}" for folder in sorted({source.parent for source in sources})]
        command[position:position] = ["-w", "-include", str(self.root / "switch.h"), *beside]
        text = unit.read_text()
        for source in sources:
            text = text.replace(f'#include "{source}"', f'#include "{self._copy(source)}"')
        while True:
            self._copy(unit).write_text(text)
            for source, file in sources.items():
                some = [mutant for mutant in mutants if mutant.file == file]
                self._copy(source).write_bytes(instrument(source.read_bytes(), some, cpp.wrap))
            run = subprocess.run(command, cwd=self.build, capture_output=True, text=True, check=False)
            if run.returncode == 0:
                return mutants
            refused = {
                (file, int(line))
                for source, file in sources.items()
                for line in re.findall(rf"{re.escape(str(self._copy(source)))}:(\d+):", run.stderr)
            }
            left = [mutant for mutant in mutants if not any((mutant.file, line) in refused for line in mutant.lines)]
            if len(left) == len(mutants):
                raise SystemExit(f"{unit} with mutants does not compile:\n{run.stderr[-2000:]}")
            mutants = left

    def _mirror(self, mutants: Sequence[Mutant]) -> None:
        """The developer build's package, tools and tests by links; native modules and mutated sources of its own."""
        package = self.build / "python"
        # The sources of the package are there by links to their directories.
        for directory, _, names in os.walk(package, followlinks=True):
            target = self.root / "python" / Path(directory).relative_to(package)
            target.mkdir(parents=True, exist_ok=True)
            for path in (Path(directory, name) for name in names):
                if path.suffix == ".so" and path.name != Path(LIBRARY).name:
                    shutil.copy2(path, target)
                elif path.name != Path(LIBRARY).name:
                    (target / path.name).symlink_to(path.resolve())
        (self.root / "python" / "gridir_mutants.py").write_text(SWITCH_MODULE)
        for file in sorted({mutant.file for mutant in mutants}):
            copy = self.root / file
            if not copy.exists():
                raise SystemExit(f"expected {file} in {self.build}, which is older; build it first")
            copy.unlink()
            some = [mutant for mutant in mutants if mutant.file == file]
            copy.write_bytes(instrument((self.repository / file).read_bytes(), some, py.wrap))
        (self.root / "bin").symlink_to(self.build / "bin")
        site = (self.build / "test" / "lit.site.cfg.py").read_text().replace(str(self.build), str(self.root))
        site += SITE
        (self.root / "test").mkdir()
        (self.root / "test" / "lit.site.cfg.py").write_text(site)

    def _link(self, units: Sequence[Path], count: int) -> None:
        """The native library, with the objects that have mutants instead of their originals."""
        switch = self.root / "objects" / "switch.cpp"
        switch.write_text(SWITCH_SOURCE.format(count=count))
        subprocess.run(["c++", "-fPIC", "-O1", "-c", switch, "-o", switch.with_suffix(".o")], check=True)
        command = (
            subprocess.run(
                ["ninja", "-C", self.build, "-t", "commands", "-s", LIBRARY], capture_output=True, text=True, check=True
            )
            .stdout.strip()
            .splitlines()[-1]
        )
        command = command.replace(f"-o {LIBRARY}", f"-o {self.root / LIBRARY} {switch.with_suffix('.o')}")
        for unit in units:
            archive, member = self._archive_of(unit)
            copy = self.root / "objects" / Path(archive).name
            if not copy.exists():
                shutil.copy2(self.build / archive, copy)
                command = re.sub(rf"(?<=\s){re.escape(archive)}(?=\s)", str(copy), command)
            shutil.copy2(self._object(unit), copy.parent / member)
            subprocess.run(["ar", "r", copy, copy.parent / member], check=True, capture_output=True)
        subprocess.run(command, shell=True, cwd=self.build, check=True)

    def _archive_of(self, unit: Path) -> tuple[str, str]:
        """The static library that a translation unit goes to, and the name of its member there."""
        words = self._commands[unit]
        target = Path(words[words.index("-o") + 1])
        library = next(part for part in target.parts if part.endswith(".dir")).removesuffix(".dir")
        directory = Path(*target.parts[: target.parts.index("CMakeFiles")])
        return str(directory / f"lib{library}.a"), target.name
