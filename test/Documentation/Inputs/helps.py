"""Says what the help of a command lacks."""

import click
from gridir.cli.main import main

context = click.Context(main)
lacking = []
commands = main.list_commands(context)
for name in commands:
    command = main.get_command(context, name)
    text = command.get_help(click.Context(command, info_name=name, parent=context))
    wanted = ["Exit status:", "Examples:", f"gridir {name}", *(["--json"] if name not in ("new", "opt") else [])]
    lacking += [f"{name}: {part}" for part in wanted if part not in text]
    lacking += [f"{name}: {p.opts[0]}" for p in command.params if isinstance(p, click.Option) and not p.help]
print(f"{len(commands)} commands, lacking {lacking}")
