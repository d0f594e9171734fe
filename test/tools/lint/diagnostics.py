# RUN: %python %s %repository | FileCheck %s
"""Which texts of a source are messages, and which of them a test meets."""

import sys
from pathlib import Path

sys.path.insert(0, f"{sys.argv[1]}/tools/lint")

import messages

# The literals of one text are one; what is filled in cuts it. Claims about the code, help and names are no messages.
# CHECK:      5 expected one text of two literals, got
# CHECK-NEXT: 7 which "opens" a group
# CHECK-NEXT: 10 a helper takes parts
# CHECK-NEXT: 11 waits for a signal, and
# CHECK-NEXT: 11 is on its way
# CHECK-NEXT: 14 a raw text
# CHECK-NEXT: end
for line, words in messages.messages(Path(__file__).parent / "Inputs" / "diagnostics.cc"):
    print(line, words)
print("end")

# In Python what is raised is one, with its notes; what asserts is none.
# CHECK-NEXT: 6 expected one text of two literals, got
# CHECK-NEXT: 6 which `opens` a group
# CHECK-NEXT: 7 a note is read too
# CHECK-NEXT: 11 waits for a signal
# CHECK-NEXT: end
for line, words in messages.messages(Path(__file__).parent / "Inputs" / "raises.py"):
    print(line, words)
print("end")

# A text of a test counts wherever its lines are broken.
# CHECK-NEXT: True False
tested = messages.joined("// expected-error {{expected one\n//   text}}", ".mlir")
print("expected one text" in tested, "expected two texts" in tested)
# CHECK-NEXT: True
print("expected one text" in messages.joined('"expected one "\n    f"text"', ".py"))
