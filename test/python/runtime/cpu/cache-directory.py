# RUN: rm -rf %t && %python %s %t | FileCheck %s

# Whoever can write to the cache can run code in the process: only what belongs to the user alone is read. The cache
# holds what its policy allows, and any number of processes write to it at once.
import os
import resource
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import numpy as np
from gridir.runtime import cpu
from handwritten import OPTIONS, X, call, elementwise

TEXT = elementwise("%w = arith.addf %v, %v : f32")
number = 0


def use(directory, text=TEXT, policy=""):
    """Prepares the kernel under a key that this process does not know: where it came from, and what was warned of."""
    global number
    number += 1
    os.environ["GRIDIR_CACHE_DIR"], os.environ["GRIDIR_CACHE_POLICY"] = directory, policy
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prepared = cpu.prepare("k", f"{os.getpid()} {number}", text.encode(), OPTIONS)
    assert np.array_equal(call(text, X, X, key=f"{os.getpid()} {number}"), 2 * X)
    return " ".join([prepared.origin, *(str(each.message) for each in caught)]).replace(top, "TOP")


def entries(directory):
    """The paths of its files, in the order of their names, but for the time of the last pruning."""
    names = set(os.listdir(directory)) - {"llvmcache.timestamp"}
    return sorted(os.path.join(directory, name) for name in names)


def mode(path):
    return oct(os.stat(path).st_mode & 0o777)


top = sys.argv[1]
if len(sys.argv) > 2:
    # One of several processes that compile the same kernels into one directory, in different orders.
    count = int(sys.argv[2])
    for i in range(8):
        use(top, TEXT.replace("%v, %v", "%v," + " " * (1 + (i + count) % 8) + "%v"))
    sys.exit()
os.mkdir(top)
os.umask(0o002)

# Files of the runtime belong only to the user, whatever the umask.
made = os.path.join(top, "a", "cache")
# CHECK: made: compiled disk 0o700 0o700 0o600
print("made:", use(made), use(made), mode(os.path.join(top, "a")), mode(made), *map(mode, entries(made)))
(entry,) = entries(made)

# CHECK: entry of others: compiled
os.chmod(entry, 0o620)
print("entry of others:", use(made))
# CHECK: replaced: 0o600 disk
print("replaced:", mode(entry), use(made))
# CHECK: link: compiled disk
os.rename(entry, os.path.join(top, "elsewhere"))
os.symlink(os.path.join(top, "elsewhere"), entry)
print("link:", use(made), use(made))
# A pipe would wait for a writer.
# CHECK: pipe: compiled disk
os.remove(entry)
os.mkfifo(entry)
print("pipe:", use(made), use(made))
# An entry is good for its own key only.
# CHECK: renamed: compiled
other = TEXT.replace("%v, %v", "%v,  %v")
use(made, other)
(added,) = set(entries(made)) - {entry}
os.replace(entry, added)
print("renamed:", use(made, other))

for bits in (0o770, 0o707):
    os.chmod(made, bits)
    # CHECK-COUNT-2: directory of others: compiled the cache TOP/a/cache is not used: others may write to it
    print("directory of others:", use(made))
os.chmod(made, 0o700)
foreign = "/"
if os.geteuid() == 0:
    foreign = os.path.join(top, "foreign")
    os.mkdir(foreign, 0o700)
    os.chown(foreign, 12345, -1)
# CHECK: foreign: compiled the cache {{.*}} is not used: it belongs to another user
print("foreign:", use(foreign))
# CHECK: no directory: compiled the cache {{.*}} is not used: it cannot be made: Not a directory
print("no directory:", use(os.path.join(added, "below")))
# CHECK: policy: compiled the cache TOP/a/cache is not used: GRIDIR_CACHE_POLICY: Unknown key: 'size'
print("policy:", use(made, policy="size=3"))

# The entries that were used longest ago go first; a read is a use.
small = os.path.join(top, "small")
texts = [TEXT.replace("%v, %v", "%v," + " " * spaces + "%v") for spaces in range(1, 5)]
for i, text in enumerate(texts[:3]):
    before = set(entries(small)) if i else set()
    use(small, text)
    (new,) = set(entries(small)) - before
    os.utime(new, (1000 + i, 1000 + i))
use(small, texts[0])
use(small, texts[3], "prune_interval=0s:cache_size_files=2")
# CHECK: kept: ['disk', 'compiled', 'compiled', 'disk']
print("kept:", [use(small, text).split()[0] for text in (texts[0], *texts[1:3], texts[3])])
# CHECK: others' files: True
with open(os.path.join(small, "mine.txt"), "w") as file:
    file.write("not an entry")
use(small, TEXT + "\n", "prune_interval=0s:cache_size_bytes=1")
print("others' files:", entries(small) == [os.path.join(small, "mine.txt")])

# If the disk is full in the middle of a write, no entry remains, and the kernel runs.
full = os.path.join(top, "full")
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
outcome = use(full)
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
# CHECK: full: compiled [] compiled disk
print("full:", outcome, entries(full), use(full), use(full))

# CHECK: processes: [0, 0, 0] 8
shared = os.path.join(top, "shared")
children = [subprocess.Popen([sys.executable, __file__, shared, str(i)]) for i in range(3)]
print("processes:", [child.wait() for child in children], len(entries(shared)))
