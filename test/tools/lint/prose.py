# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %repository | FileCheck %s
"""The rules of prose, and what is not prose: code, links, and the terms that the glossary allows."""

import pathlib
import sys

sys.path.insert(0, f"{sys.argv[1]}/tools/lint")

import prose

GLOSSARY = """
| term | meaning | not |
| --- | --- | --- |
| barrier | The point at which threads synchronize. | rendezvous, meeting point |
| phase | A parity bit. | |
"""

PAGE = f"""# A page

Threads wait at a rendezvous. `meet` is code, and [a link](behind.md) is no text.

```
nobody reads this block
```

- An item has threads that meet
  at a barrier.
- {"word " * 40}last.
- {"word " * 39}last. Another sentence.

What is what, if not what it was?
"""

# CHECK: ['meeting point', 'rendezvous']
terms = prose.forbidden_terms(GLOSSARY)
print(terms)

# CHECK-NEXT: 3 expected the term of docs/glossary.md, got 'rendezvous'
# CHECK-NEXT: 9 expected plain words, got 'meet'
# CHECK-NEXT: 11 expected a sentence of at most 40 words, got 41
# CHECK-NEXT: 1 expected 'what' at most 2 times in 1,000 words, got 3 in
# CHECK-NEXT: end
for line, problem in prose.problems(PAGE, terms):
    print(line, problem)
print("end")

# Comments and docstrings of sources.
# CHECK-NEXT: 1 expected plain words, got 'nobody'
# CHECK-NEXT: 2 expected a comment that states a contract or a reason, got one that begins with 'Whether'
# CHECK-NEXT: 5 expected plain words, got 'behind'
# CHECK-NEXT: end
source = pathlib.Path("source.py")
source.write_text(
    '# Read by nobody.\n# Whether it is `what` it is.\nwhat = "behind"\ndef f():\n    """Looks behind."""\n'
)
for line, problem in prose.comment_problems(source):
    print(line, problem)
print("end")

# Messages: diagnostics of C++, options of TableGen, and exceptions and help of Python. Comments, descriptions, assembly
# and texts of fewer than three words are no messages.
# CHECK-NEXT: source.cpp 2 expected plain words, got 'meet'
# CHECK-NEXT: source.cpp 3 expected a sentence of at most 40 words, got 41
# CHECK-NEXT: source.cpp 4 expected the term of docs/glossary.md, got 'rendezvous'
# CHECK-NEXT: source.td 1 expected a message that states a requirement or a fact, got one that begins with 'Whether'
# CHECK-NEXT: source.py 2 expected plain words, got 'so many'
# CHECK-NEXT: source.py 3 expected plain words, got 'behind'
# CHECK-NEXT: end
MESSAGES = {
    ".cpp": f"""// Nobody meets.
  op.emitError("expected threads that meet here");
  op.emitError() << "{"word " * 40}last";
  op.emitRemark("each thread is at its rendezvous");
""",
    ".td": 'Option<"a", "a", "bool", "false", "Whether threads synchronize.">; // Nobody meets.',
    ".py": """# Nobody meets.
raise ValueError(f"expected an index of so many elements, got {index}")
parser.add_argument("--late", help="run a pass behind the last one")
""",
}
for suffix, text in MESSAGES.items():
    source = pathlib.Path(f"source{suffix}")
    source.write_text(text)
    for line, problem in prose.message_problems(source, terms):
        print(source, line, problem)
print("end")

# Anchors of headings, without those in code.
# CHECK-NEXT: ['a-page', 'jaxs-own-ptx', 'ops-of-grid']
print(sorted(prose.anchors("# A page\n\n## JAX's own PTX\n\n```sh\n# no heading\n```\n### Ops of [`grid`](grid.md)\n")))
