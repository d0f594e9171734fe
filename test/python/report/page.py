# REQUIRES: browser
# RUN: rm -rf %t && mkdir %t
# RUN: not %gridir report %S/Inputs/doubled.py --target gpu -o %t/page.html
# RUN: %python %s %t/page.html 2>/dev/null | FileCheck %s

# A report in a real browser: what a person sees who clicks and presses keys.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from browser import Browser, Qt

page = Browser(sys.argv[1])

# The first program is shown; the button goes on, keys on the slider to the ends.
# CHECK: program (0), step 1 of 7
# CHECK: program (1), step 2 of 7
# CHECK: program (6), step 7 of 7
# CHECK: o_ref: writes [768:896, 0:64]
print(page.text("output.program"))
page.click("button.next")
print(page.text("output.program"))
page.click("input.step")
page.key(Qt.Key_End)
print(page.text("output.program"))
print("o_ref:", page.text("figure[data-operand='1'] .now"))

# A square of the grid is a program.
# CHECK: program (2), step 3 of 7
page.click("svg.grid rect[data-step='2']")
print(page.text("output.program"))

# The witness of the refuted check is marked on the array: something is drawn in its colour.
# CHECK: refuted: show element (896, 0)
# CHECK: marked: False True
print("refuted:", page.text("button.witness"))
MARK = "(194, 24, 116)"
PIXELS = """(() => {
  const canvas = document.querySelector("figure[data-operand='1'] canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4)
    if (data[i] === 194 && data[i + 1] === 24 && data[i + 2] === 116) return true;
  return false;
})()"""
page.evaluate("document.documentElement.dataset.theme = 'light'")
before = page.evaluate(PIXELS)
page.click("button.witness")
print("marked:", before, page.evaluate(PIXELS))

# A line of the source lights up what was made of it, on every target; the tabs count it.
LIT = "[...document.querySelectorAll('.pane.stages .line.lit .text')].map((line) => line.textContent.trim())"
LINE = (
    "[...document.querySelectorAll('.pane.source .line')].find((line) => line.textContent.includes('x_ref[...] * 2'))"
)
key = page.evaluate(f"{LINE}.dataset.key")
page.click(f".line[data-key='{key}']")
# CHECK: grid: {{.*}}grid.load %x_ref{{.*}}arith.mulf{{.*}}grid.store
print("grid:", " ".join(page.evaluate(LIT)))
# CHECK: every target has lit stages: True
counts = """[...document.querySelectorAll('.stage-tabs')].map(
  (tabs) => [...tabs.querySelectorAll('.count')].filter((count) => count.textContent).length)"""
print("every target has lit stages:", all(page.evaluate(counts)))
page.click(".tabs.targets [data-target='1']")
page.click(".stage-tabs[data-target='1'] [role=tab]:nth-of-type(11)")
# CHECK: ptx: {{.*}}ld.global
print(
    page.text(".stage-tabs[data-target='1'] [aria-selected=true]").rstrip("0123456789") + ":",
    " ".join(page.evaluate(LIT)),
)

# Below a line stands what is refuted there, and what passes remark.
# CHECK: remarks: written of o_ref: no program writes element (896, 0)
# CHECK: grid-infer-dimension-semantics (cpu, gpu:sm_90a): dimension 0 is parallel
REMARKS = "[...document.querySelectorAll('.remark')].map((remark) => remark.textContent).sort().reverse()"
print("remarks:", "\n".join(page.evaluate(REMARKS)))

# And the other way round; Escape puts it out.
# CHECK: source: {{.*}}x_ref[...] * 2
# CHECK: lit: 0
page.click(".pane.stages .line.lit")
print("source:", page.text(".pane.source .line.lit"))
page.key(Qt.Key_Escape)
print("lit:", page.count(".line.lit"))

# The location of a refuted check leads to its line.
# CHECK: goes to: {{.*}}x_ref[...] * 2
page.click(".checks a.location")
print("goes to:", page.text(".pane.source .line.chosen"))

# Light becomes dark.
# CHECK: themes: light dark
theme = "document.documentElement.dataset.theme"
first = page.evaluate(theme)
page.click("#theme")
print("themes:", first, page.evaluate(theme))

# On paper the page is light, and on the screen as before. Scripts can tell.
# CHECK: printed: %PDF light dark
page.evaluate("addEventListener('beforeprint', () => (window.printed = document.documentElement.dataset.theme)) || 0")
page.print(f"{sys.argv[1]}.pdf")
with open(f"{sys.argv[1]}.pdf", "rb") as pdf:
    print("printed:", pdf.read(4).decode(), page.evaluate("window.printed"), page.evaluate(theme))

# Everything that can be clicked has a name and can be reached by keys, and no script has failed.
# CHECK: nameless: 0
# CHECK: messages: []
NAMELESS = """[...document.querySelectorAll('button, input, svg[role=img], canvas, [role=tablist]')].filter(
  (element) => !(element.ariaLabel || element.textContent.trim())).length"""
print("nameless:", page.evaluate(NAMELESS))
print("messages:", page.messages)
# Qt's threads may outlive the page.
sys.stdout.flush()
os._exit(0)
