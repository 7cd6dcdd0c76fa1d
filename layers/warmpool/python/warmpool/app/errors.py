"""Our own errors; adapters translate every library's error into one of these and chain it."""


class WarmpoolError(Exception):
    """Base of all errors that a pass can explain."""


class ClusterUnavailable(WarmpoolError):
    """The cluster did not answer, or not in time."""


class NotPermitted(WarmpoolError):
    """The cluster or AWS refused; the text names the verb and the resource."""


class Conflict(WarmpoolError):
    """Somebody else wrote first; observe and decide again."""


class DeploymentGone(WarmpoolError):
    """The placeholder Deployment is not there any more."""


class LedgerUnavailable(WarmpoolError):
    """The ledger could not be read or written."""


class ConfigUnreadable(WarmpoolError):
    """The configuration store did not answer or refused; never the same as "not there"."""


class MetricsUnreadable(WarmpoolError):
    """What was measured could not be read; never the same as "nothing was measured"."""


class NudgeNotSent(WarmpoolError):
    """The reconcile queue did not take a nudge."""


class ConfigNotWritten(WarmpoolError):
    """The configuration store did not take an operator's document."""


class ConfigInvalid(WarmpoolError):
    """A document that is wrong: `path`, the value seen and what was expected."""

    def __init__(self, path: str, message: str, *, source: str = "") -> None:
        super().__init__(": ".join(part for part in (source, path, message) if part))
        self.path = path
        self.message = message
        self.source = source
