"""Runs a command of gridir on a machine that has a GPU: that of the stand-in driver."""

import sys

from gridir.cli.main import main
from gridir.runtime import ptx

ptx.open_driver().pretend(9)
main(sys.argv[1:])
