import os
import resource
import subprocess
import sys

python = sys.argv[1:]


def status(code: str) -> int:
    return subprocess.run([*python, "-c", code]).returncode


print("exit 7:", status("import sys; sys.exit(7)"))
print("signal 15:", status("import os; os.kill(os.getpid(), 15)"))


def limit() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    resource.setrlimit(resource.RLIMIT_AS, (4096000000, resource.RLIM_INFINITY))


code = "import os, resource; print(len(os.sched_getaffinity(0)), resource.getrlimit(resource.RLIMIT_AS)[0])"
print("limits:", subprocess.run([*python, "-c", code], preexec_fn=limit, capture_output=True, text=True).stdout)
