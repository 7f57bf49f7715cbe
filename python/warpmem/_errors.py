"""What the command says when something is wrong, as exceptions: the message, the place, and the fix."""


class Error(Exception):
    """`str(error)` is what the command would print; its parts are here too."""

    status = 70

    def __init__(self, message, place="", fix=""):
        self.message, self.place, self.fix = message, place, fix
        super().__init__(message)

    def __str__(self):
        return (f"{self.place}: " if self.place else "") + self.message + (f"\n  fix: {self.fix}" if self.fix else "")


class CheckFailed(Error):
    """A comparison did not hold."""
    status = 1


class UsageError(Error, ValueError):
    """A wrong option, card or configuration."""
    status = 2


class MalformedError(Error, ValueError):
    """The input is not what it says it is."""
    status = 3


class IncompleteError(Error):
    """The input is cut short, and nobody said that a part is enough."""
    status = 4


class ResourceError(Error, OSError):
    """Out of memory, disk, or the time that was allowed."""
    status = 5


class EnvironmentMissing(Error, OSError):
    """No GPU, no permission, no nvcc."""
    status = 6


class InternalError(Error):
    """A fault of warpmem's own."""
    status = 70


KINDS = {kind.status: kind for kind in (CheckFailed, UsageError, MalformedError, IncompleteError, ResourceError,
                                        EnvironmentMissing, InternalError)}


def made(status, message, place, fix):
    if status == 130:
        return KeyboardInterrupt()
    return KINDS.get(status, InternalError)(message, place, fix)
