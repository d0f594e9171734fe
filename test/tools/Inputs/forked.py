import os
import sys


def fail() -> None:
    raise ValueError("expected nothing")


print(*sys.argv)
print(__name__, sys.modules["__main__"].fail is fail, os.environ.get("COLOR"))
print(sys.stdin.read().strip())
print(os.getcwd(), sys.path[0])
fail()
