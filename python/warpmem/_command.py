"""The `warpmem` command: where it is, and a run of it whose errors are exceptions."""
import os
import re
import shutil
import subprocess

from . import _errors

HERE = os.path.dirname(os.path.abspath(__file__))


def is_command(place):
    """A program, and not the script of the package, which would start itself for ever."""
    if not place or not os.path.isfile(place) or not os.access(place, os.X_OK):
        return False
    with open(place, "rb") as file:
        return file.read(4) == b"\x7fELF"


def path():
    """The command that $WARPMEM names; else that of the package, of the build folder that it lies in, or of PATH."""
    places = [os.environ.get("WARPMEM"), os.path.join(HERE, "bin", "warpmem"),
              os.path.join(HERE, "..", "..", "warpmem"), shutil.which("warpmem")]
    for place in places:
        if is_command(place):
            return os.path.abspath(place)
    raise _errors.EnvironmentMissing("the warpmem command is not there", "",
                                     "install the package with its command, or set WARPMEM to it")


def error_of(stderr, status):
    """The error that the command printed: "warpmem: error: PLACE: MESSAGE" and "  fix: FIX"."""
    found = re.search(r"^warpmem: error: (.*?)(?:\n\s+fix: (.*?))?(?=\n\S|\Z)", stderr, re.S | re.M)
    if not found:
        return _errors.made(status, stderr.strip() or f"warpmem ended with status {status}", "", "")
    return _errors.made(status, " ".join(found[1].split()), "", " ".join((found[2] or "").split()))


def run(*words, may_end=(0,), env=None, stdout=subprocess.PIPE):
    """What it printed. Ends that are not in `may_end` are exceptions."""
    done = subprocess.run([path(), *map(str, words)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **(env or {})})
    if done.returncode not in may_end:
        if done.returncode < 0:
            raise _errors.InternalError(f"warpmem was ended by signal {-done.returncode}", "", done.stderr.strip())
        raise error_of(done.stderr, done.returncode)
    return done
