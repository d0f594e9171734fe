# RUN: %python %s %repository | FileCheck %s

# Every page with a snippet has a test in this directory that runs it.
# CHECK-NOT: expected
# CHECK: {{[1-9][0-9]}} pages with snippets
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
tests = "\n".join(path.read_text() for path in Path(__file__).parent.glob("*.test"))
pages = [
    path
    for directory in (".", "docs", "benchmarks")
    for path in sorted((root / directory).glob("*.md"))
    if re.search(r"^```(python|sh|mlir|ptx|json)\b", path.read_text(), re.MULTILINE)
]
for page in pages:
    if f"%repository/{page.relative_to(root)} " not in tests:
        print(f"expected a test that runs the snippets of {page.relative_to(root)}")
print(f"{len(pages)} pages with snippets")
