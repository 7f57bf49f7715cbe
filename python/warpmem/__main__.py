"""`python -m warpmem script.py`: the program under `warpmem emulate`. `python -m warpmem replay …`: the command."""
import os
import sys

from . import _command


def words(arguments):
    """A script, and options of emulate in front of it, or a verb of the command."""
    for at, word in enumerate(arguments):
        if word.endswith(".py"):
            return ["emulate", *arguments[:at], "--", sys.executable, *arguments[at:]]
    return arguments


def main():
    command = _command.path()
    os.execv(command, [command, *words(sys.argv[1:])])


if __name__ == "__main__":
    main()
