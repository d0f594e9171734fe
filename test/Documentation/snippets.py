# RUN: %python %s %repository | FileCheck %s

# Every snippet of Python in README.md and on the pages of docs/ runs as it stands, pasted alone. Those that name a file
# in their first line belong to a walk-through, which has a test of its own.
import contextlib
import importlib.util
import io
import re
import sys
import traceback
from pathlib import Path

from gridir.frontend.installation import Installation, set_global

root = Path(sys.argv[1])
has_libtpu = importlib.util.find_spec("libtpu") is not None
failed = ran = 0
for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    text = page.read_text()
    for block in re.finditer(r"^```python( .*)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        code, line = block[2], text.count("\n", 0, block.start()) + 1
        if block[1] or re.match(r"# \w+\.py\n", code) or ("tpu.aot(" in code and not has_libtpu):
            continue
        ran += 1
        # JAX reads the lines of kernels.
        file = Path(f"snippet_{page.stem}_{line}.py")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, str(file), "exec"), {"__name__": file.stem})
        except Exception:
            failed += 1
            print(f"{page.name}:{line} fails: {traceback.format_exc(limit=-2)}")
        set_global(Installation(()))

# CHECK-NOT: fails
# CHECK: {{[1-9][0-9]}} snippets, 0 failed
print(f"{ran} snippets, {failed} failed")
