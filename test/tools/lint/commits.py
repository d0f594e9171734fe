# RUN: %python %s %repository | FileCheck %s
"""The rules for a commit subject."""

import sys

sys.path.insert(0, f"{sys.argv[1]}/tools/lint")

import commits

SUBJECTS = ("[GPU] Add a pass", "Add a pass", "[GPU] add a pass", "[GPU] Add a pass.", f"[GPU] Add{' a pass' * 9}es!!")

# CHECK: None
# CHECK-NEXT: expected a commit subject '[Area] Verb ...', got 'Add a pass'
# CHECK-NEXT: expected a commit subject '[Area] Verb ...', got '[GPU] add a pass'
# CHECK-NEXT: expected a commit subject without a full stop, got '[GPU] Add a pass.'
# CHECK-NEXT: expected a commit subject of at most 72 characters, got 76:
for subject in SUBJECTS:
    print(commits.problem(subject))
