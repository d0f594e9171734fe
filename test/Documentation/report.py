# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %repository %t
# RUN: cd %t && not %gridir run doubled.py | FileCheck %s --check-prefix=RAN
# RUN: cd %t && not %gridir report doubled.py --target cpu | FileCheck %s --check-prefix=REPORT
# RUN: cd %t && FileCheck %s --check-prefix=PAGE --input-file=doubled.html
# RUN: cd %t && %gridir report mended.py:doubled --target cpu -o mended.html
# RUN: cd %t && FileCheck %s --check-prefix=MENDED --input-file=mended.html

# The walk-through of docs/report.md, step by step.
import re
import sys
from pathlib import Path

root, directory = map(Path, sys.argv[1:])
text = (root / "docs" / "report.md").read_text()
program = re.search(r"```python\n(# doubled.py\n.*?)```", text, re.DOTALL)[1]
(directory / "doubled.py").write_text(program)
(directory / "mended.py").write_text(program.replace("x.shape[0] // 128", "pl.cdiv(x.shape[0], 128)"))

# RAN: results: different from reference()'s
# RAN: 6656 of 64000 elements

# REPORT: wrote doubled.html: 1 kernel,

# PAGE: <code>o_ref</code> output, float32[1000, 64] in blocks of [128, 64]
# PAGE: <b>6656</b> elements are in no block
# PAGE: <code>written</code> of o_ref: no program writes element (896, 0)
# PAGE: show element (896, 0)

# MENDED: blocks overhang by up to <b>1536</b> elements
# MENDED-NOT: refuted">
# MENDED: <span class="verdict proved">
