# REQUIRES: browser, libtpu, ptxas
# RUN: %python %s %repository %t.html 2>/dev/null | FileCheck %s

# JAX's own flash attention, unchanged: the report is small and soon there, and a line of its kernel lights up on every
# target, down to the bundles of a TPU and the instructions of a GPU.
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from browser import Browser

example, path = f"{sys.argv[1]}/examples/flash_attention.py", sys.argv[2]
subprocess.run([sys.executable, "-m", "gridir", "report", example, "-o", path], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)

# Ten seconds where nothing else runs; the processor's seconds are counted, as others may run beside this.
# CHECK: under 5 MB: True
# CHECK: under 20 s of the CPU: True
print("under 5 MB:", os.path.getsize(path) < 5e6)
print("under 20 s of the CPU:", used.ru_utime + used.ru_stime < 20)

page = Browser(path)
line = "[...document.querySelectorAll('.pane.source .line')].find((x) => x.textContent.includes('m_next = '))"
page.click(f".line[data-key='{page.evaluate(f'{line}.dataset.key')}']")
lit = """[...document.querySelectorAll('.stage-tabs [role=tab]')].filter(
  (tab) => tab.querySelector('.count').textContent).map((tab) => tab.firstChild.textContent)"""
# CHECK: lit: grid grid-planned loops bufferized vectorized llvm grid grid-planned tpu tpu-serialized bundles
# CHECK-SAME: grid grid-planned program layouts memory loops bufferized mapped gpu nvvm ptx sass
print("lit:", " ".join(page.evaluate(lit)))

# A grid of four dimensions is gone through, and an array of four is drawn in panels.
# CHECK: program (0, 1, 0, 1), step 6 of 8
# CHECK: reads [0:1, 1:2, 0:128, 0:128]
page.click("svg.grid rect[data-step='5']")
print(page.text("output.program"))
print(page.text("figure[data-operand='0'] .now"))

# CHECK: errors: []
print("errors:", page.messages)
sys.stdout.flush()
os._exit(0)
