"""What operators write to SSM, under their own identity."""

import json
from functools import partial
from typing import Any

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.aws.operator_parameters import STOP, OperatorParameters, override_of
from warmpool.adapters.memory import FixedBudget, RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import ConfigNotWritten, ConfigUnreadable, NotPermitted
from warmpool.app.ports import Documents

BUDGET = UnlimitedBudget()
OVERRIDE = override_of("cpu")


@pytest.fixture
def parameters(clients: AwsClients) -> OperatorParameters:
    return OperatorParameters(clients, prefix="/warmpool/ml")


def read(clients: AwsClients) -> Documents:
    return SsmConfiguration(clients, prefix="/warmpool/ml", telemetry=RecordingTelemetry()).read(BUDGET)


def test_what_is_written_is_what_the_controller_reads(clients: AwsClients, parameters: OperatorParameters) -> None:
    text = json.dumps({"max": 4, "until": "forever", "reason": "Prüfung"})
    parameters.put(OVERRIDE, text, BUDGET)
    parameters.put(STOP, '{"mode": "freeze"}', BUDGET)
    found = read(clients)
    assert (found.overrides, found.stop) == ({"cpu": text}, '{"mode": "freeze"}')
    assert parameters.name(OVERRIDE) == "/warmpool/ml/cpu/override"


def test_a_document_that_is_there_is_replaced(clients: AwsClients, parameters: OperatorParameters) -> None:
    parameters.put(STOP, "one", BUDGET)
    parameters.put(STOP, "two", BUDGET)
    assert read(clients).stop == "two"


def test_deleting_tells_whether_there_was_one(clients: AwsClients, parameters: OperatorParameters) -> None:
    parameters.put(OVERRIDE, "{}", BUDGET)
    assert parameters.delete(OVERRIDE, BUDGET) is True
    assert parameters.delete(OVERRIDE, BUDGET) is False
    assert read(clients).overrides == {}


def test_the_caller_is_the_one_that_sts_sees(parameters: OperatorParameters) -> None:
    assert parameters.caller(BUDGET) == "arn:aws:sts::123456789012:user/moto"


@pytest.mark.parametrize(
    ("operation", "action"), [("PutParameter", "ssm:PutParameter"), ("DeleteParameter", "ssm:DeleteParameter")]
)
def test_a_write_that_is_refused_says_which_right_is_missing_and_that_nothing_has_changed(
    faults: Faults, parameters: OperatorParameters, operation: str, action: str
) -> None:
    faults.refuse(operation, "AccessDeniedException")
    write = partial(parameters.put, OVERRIDE, "{}") if "Put" in operation else partial(parameters.delete, OVERRIDE)
    with pytest.raises(NotPermitted, match=f"nothing was changed: {action} on /warmpool/ml/cpu/override .*allow"):
        write(BUDGET)


def test_a_write_that_fails_otherwise_is_no_matter_of_rights(faults: Faults, parameters: OperatorParameters) -> None:
    faults.refuse("PutParameter", "ThrottlingException")
    with pytest.raises(ConfigNotWritten, match="ThrottlingException"):
        parameters.put(OVERRIDE, "{}", BUDGET)
    faults.silence("DeleteParameter")
    with pytest.raises(ConfigNotWritten, match="ReadTimeoutError"):
        parameters.delete(OVERRIDE, BUDGET)


def test_without_time_left_nothing_is_sent(faults: Faults, parameters: OperatorParameters) -> None:
    with pytest.raises(ConfigNotWritten, match="TimeoutError"):
        parameters.put(OVERRIDE, "{}", FixedBudget(0))
    assert faults.calls["PutParameter"] == 0


@pytest.mark.parametrize(("code", "error"), [("AccessDenied", NotPermitted), ("ThrottlingException", ConfigUnreadable)])
def test_who_calls_and_who_wrote_may_be_unknown(
    faults: Faults, parameters: OperatorParameters, code: str, error: type[Exception]
) -> None:
    faults.refuse("GetCallerIdentity", code)
    faults.refuse("DescribeParameters", code)
    with pytest.raises(error, match="sts:GetCallerIdentity"):
        parameters.caller(BUDGET)
    with pytest.raises(error, match="ssm:DescribeParameters on /warmpool/ml"):
        parameters.written(BUDGET)


def test_every_document_has_its_writer_also_beyond_the_first_page(
    faults: Faults, parameters: OperatorParameters
) -> None:
    for number in range(60):
        parameters.put(override_of(f"pool-{number}"), "{}", BUDGET)
    parameters.put(STOP, "{}", BUDGET)
    written = parameters.written(BUDGET)
    assert set(written) == {STOP, *(f"pool-{number}/override" for number in range(60))}
    assert faults.calls["DescribeParameters"] > 1
    # moto does not know users and says N/A, which is nobody's name.
    assert {each.by for each in written.values()} == {""}
    assert all(each.at.tzinfo is not None for each in written.values())


def test_the_writer_is_named_as_ssm_names_them(clients: AwsClients, parameters: OperatorParameters) -> None:
    def name_the_writer(*, parsed: dict[str, Any], **_: Any) -> None:
        for each in parsed["Parameters"]:
            each["LastModifiedUser"] = "arn:aws:sts::1:assumed-role/Operator/alice"

    clients.client("ssm", BUDGET).meta.events.register("after-call.ssm.DescribeParameters", name_the_writer)
    parameters.put(STOP, "{}", BUDGET)
    assert parameters.written(BUDGET)[STOP].by == "arn:aws:sts::1:assumed-role/Operator/alice"
