"""AWS clients whose timeouts fit into the time that a pass has left."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast, overload

from botocore.config import Config
from botocore.session import Session

from warmpool.app.ports import Budget

__all__ = ["AwsClients", "Session"]

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_eks import EKSClient
    from mypy_boto3_sagemaker import SageMakerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_sts import STSClient


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pace:
    """How long one call may take; `worst_seconds` counts every attempt and the pause between two (at most 1 s)."""

    connect_seconds: float
    read_seconds: float
    attempts: int

    @property
    def worst_seconds(self) -> float:
        return self.attempts * (self.connect_seconds + self.read_seconds) + (self.attempts - 1)

    def config(self) -> Config:
        return Config(
            connect_timeout=self.connect_seconds,
            read_timeout=self.read_seconds,
            retries={"mode": "standard", "total_max_attempts": self.attempts},
        )


_PATIENT: Final = _Pace(connect_seconds=2, read_seconds=5, attempts=2)
_HASTY: Final = _Pace(connect_seconds=1, read_seconds=2, attempts=1)


class AwsClients:
    """The clients of one session, made when they are first needed: a cold start pays for what it uses.

    botocore fixes timeouts when a client is made, so there are two of each: a patient one (2 s to connect,
    5 s to read, 2 attempts), and a hasty one (1 s, 2 s, once) for the end of a pass.
    """

    def __init__(self, session: Session, *, region: str) -> None:
        self._session = session
        self._region = region
        self._made: dict[tuple[str, _Pace], Any] = {}

    @overload
    def client(self, service: Literal["ssm"], budget: Budget) -> "SSMClient": ...
    @overload
    def client(self, service: Literal["dynamodb"], budget: Budget) -> "DynamoDBClient": ...
    @overload
    def client(self, service: Literal["eks"], budget: Budget) -> "EKSClient": ...
    @overload
    def client(self, service: Literal["sagemaker"], budget: Budget) -> "SageMakerClient": ...
    @overload
    def client(self, service: Literal["sqs"], budget: Budget) -> "SQSClient": ...
    @overload
    def client(self, service: Literal["sts"], budget: Budget) -> "STSClient": ...
    @overload
    def client(self, service: Literal["cloudformation", "cloudwatch"], budget: Budget) -> Any: ...
    def client(self, service: str, budget: Budget) -> Any:
        """Return a client whose next call, retries included, ends within the budget.

        Raises TimeoutError where less is left than the hasty client may take.
        """
        left = budget.remaining_seconds()
        pace = next((each for each in (_PATIENT, _HASTY) if left >= each.worst_seconds), None)
        if pace is None:
            raise TimeoutError(f"{left:.1f} s are left, and a call to {service} may take {_HASTY.worst_seconds:.0f} s")
        key = (service, pace)
        if key not in self._made:
            create = cast("Any", self._session.create_client)
            self._made[key] = create(service, region_name=self._region, config=pace.config())
        return self._made[key]
