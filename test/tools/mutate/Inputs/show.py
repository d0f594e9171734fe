# Prints the mutants of a source, and the source with their switches, which Python must be able to read.

import ast
import dataclasses
import pathlib
import sys

path = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(path.parents[4] / "tools" / "mutate"))
import cpp
import py
from mutant import instrument

language = {".cc": cpp, ".py": py}[path.suffix]
source = path.read_bytes()
mutants = [dataclasses.replace(m, number=i) for i, m in enumerate(language.find(path.name, source), 1)]
for mutant in mutants:
    print(mutant)
text = instrument(source, mutants, language.wrap).decode()
print(len(text.splitlines()), "lines")
print(text)
if path.suffix == ".py":
    ast.parse(text)
