# RUN: rm -rf %t && mkdir %t && %python %s %t | FileCheck %s

# Several processes may share a cache: a reader sees all of a record or none.

import subprocess
import sys
from pathlib import Path

from gridir.tuning.cache import Cache

directory = Path(sys.argv[1])
WRITE = """
import sys
from gridir.tuning.cache import Cache
cache = Cache(sys.argv[1])
for number in range(200):
    cache.put("ab" * 32, {"text": "x" * 5000, "number": number})
"""
processes = [subprocess.Popen([sys.executable, "-c", WRITE, str(directory)]) for _ in range(2)]
cache, seen = Cache(directory), set()
while any(process.poll() is None for process in processes):
    record = cache.get("ab" * 32, dict)
    seen.add(None if record is None else len(record["text"]))
# CHECK: [0, 0] True 199
print([process.returncode for process in processes], seen <= {None, 5000}, cache.get("ab" * 32, dict)["number"])
# CHECK-NEXT: 1 files
print(sum(path.is_file() for path in directory.rglob("*")), "files")

# A damaged file is no record; without a directory nothing is kept.
next(directory.rglob("*.json")).write_text("{")
nothing = Cache(None)
nothing.put("key", {})
# CHECK-NEXT: None None
print(cache.get("ab" * 32, dict), nothing.get("key", dict))
# A directory that cannot be written leaves the cache as it is.
(directory / "file").write_text("")
# CHECK-NEXT: None
closed = Cache(directory / "file")
closed.put("key", {})
print(closed.get("key", dict))
