"""One vocabulary of reasons for logs, metrics, the command line and the docs."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Why a decision is what it is."""

    FLOOR = "Floor"
    WINDOW = "Window"
    WINDOW_AHEAD = "WindowAhead"
    PIN = "Pin"
    OVERRIDE = "Override"
    PROPORTIONAL = "Proportional"
    COMPAT = "Compat"
    ROOM_ON_BUSY_NODES = "RoomOnBusyNodes"
    STEADY = "Steady"
    SHORT = "Short"
    SURPLUS = "Surplus"
    SURPLUS_WAITS = "SurplusWaits"
    EXCESS = "Excess"
    LOWERED_BY_OVERRIDE = "LoweredByOverride"
    UNUSABLE_REPLACED = "UnusableReplaced"
    UNUSABLE_RELEASED = "UnusableReleased"
    MARKED_FIRST = "MarkedFirst"
    NOT_NEXT_TO_GO = "NotNextToGo"
    CAPPED_BY_MAX = "CappedByMax"
    CAPPED_BY_NODEPOOL = "CappedByNodePoolLimits"
    CAPPED_BY_COST = "CappedByMaxHourlyCost"
    UNKNOWN_CAPACITY = "UnknownCapacity"
    UNKNOWN_PRICE = "UnknownPrice"
    SHAPE_TOO_BIG = "ShapeTooBig"
    PLACEHOLDER_DIFFERS = "PlaceholderDiffers"
    CEILING_FELL = "CeilingFell"
    CAPACITY_STUCK = "CapacityStuck"
    IMAGE_PULL_STUCK = "ImagePullStuck"
    PAUSED_BY_OVERRIDE = "PausedByOverride"
    FROZEN = "Frozen"
    DRAINING = "Draining"
    SHADOW = "Shadow"
    PARTIAL_VIEW = "PartialView"
    NOT_PERMITTED = "NotPermitted"
    CLUSTER_UNAVAILABLE = "ClusterUnavailable"
    MOSTLY_NOT_READY = "MostlyNotReady"
    ROLLOUT = "Rollout"
    AUTOSCALING_NOT_IN_SERVICE = "AutoScalingNotInService"
    AUTOSCALING_UNKNOWN = "AutoScalingUnknown"
    FOREIGN_WRITER = "ForeignWriter"
    MANUAL_SCALE = "ManualScale"
    LEDGER_UNREADABLE = "LedgerUnreadable"
    DEPLOYMENT_MISSING = "DeploymentMissing"
    DEPLOYMENT_PAUSED = "DeploymentPaused"
    CONFIG_INVALID = "ConfigInvalid"
    CONFIG_UNREADABLE = "ConfigUnreadable"
    NO_GOOD_SPEC = "NoGoodSpec"
    HELD_LONG = "HeldLong"
    CONFLICT = "Conflict"
    FAILED = "Failed"
    BEFORE_STABILISATION = "BeforeStabilisation"
    ROOM_MISSING = "RoomMissing"
    PASSES_LATE = "PassesLate"


@dataclass(frozen=True, slots=True)
class Reason:
    """One code with a sentence for people."""

    code: Code
    text: str


class Exclusion(StrEnum):
    """Why a pool node offers no room now."""

    DELETING = "Deleting"
    DISRUPTED = "Disrupted"
    NOT_REGISTERED = "NotRegistered"
    NOT_INITIALISED = "NotInitialised"
    NOT_READY = "NotReady"
    CORDONED = "Cordoned"
    UNHEALTHY = "Unhealthy"
    UNTOLERATED_TAINT = "UntoleratedTaint"
    UNREADABLE_QUANTITY = "UnreadableQuantity"
