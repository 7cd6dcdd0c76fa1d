"""What only SSM does: pages, refusals, parameters that nobody expected."""

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import ConfigUnreadable
from warmpool.app.ports import Documents, Unreadable

LIST = "GetParametersByPath"


@pytest.fixture
def configuration(clients: AwsClients, telemetry: RecordingTelemetry) -> SsmConfiguration:
    return SsmConfiguration(clients, prefix="/warmpool/ml", telemetry=telemetry)


def put(clients: AwsClients, **texts: str) -> None:
    client = clients.client("ssm", UnlimitedBudget())
    for name, text in texts.items():
        client.put_parameter(Name=f"/warmpool/{name}", Value=text, Type="String")


def read(configuration: SsmConfiguration) -> Documents:
    return configuration.read(UnlimitedBudget())


def test_all_pages_are_read(faults: Faults, clients: AwsClients, configuration: SsmConfiguration) -> None:
    specs = {f"pool-{number}": f"spec {number}" for number in range(25)}
    put(clients, **{f"ml/{pool}/spec": text for pool, text in specs.items()})

    assert read(configuration).specs == specs
    assert faults.calls[LIST] == 3


def test_a_list_that_breaks_off_is_no_list(
    faults: Faults, clients: AwsClients, configuration: SsmConfiguration
) -> None:
    put(clients, **{f"ml/pool-{number}/spec": "spec" for number in range(25)})
    faults.refuse(LIST, "ThrottlingException", after=1)

    with pytest.raises(ConfigUnreadable, match="ThrottlingException"):
        read(configuration)


def test_another_stack_with_the_same_beginning_is_left_alone(
    clients: AwsClients, configuration: SsmConfiguration
) -> None:
    put(clients, **{"ml/cpu/spec": "ours", "ml-2/cpu/spec": "theirs", "ml-2/stop": "theirs"})

    assert read(configuration) == Documents(specs={"cpu": "ours"})


def test_a_refusal_names_the_right_that_is_missing(faults: Faults, configuration: SsmConfiguration) -> None:
    faults.refuse(LIST, "AccessDeniedException")

    with pytest.raises(ConfigUnreadable, match=r"/warmpool/ml .*AccessDenied.*allow ssm:GetParametersByPath"):
        read(configuration)


def test_a_store_that_does_not_answer_is_unreadable(faults: Faults, configuration: SsmConfiguration) -> None:
    faults.silence(LIST)

    with pytest.raises(ConfigUnreadable, match="ReadTimeoutError"):
        read(configuration)


def test_the_next_read_after_a_failure_works(
    faults: Faults, clients: AwsClients, configuration: SsmConfiguration
) -> None:
    put(clients, **{"ml/cpu/spec": "spec"})
    faults.refuse(LIST, "ThrottlingException", times=1)

    with pytest.raises(ConfigUnreadable):
        read(configuration)
    assert read(configuration).specs == {"cpu": "spec"}


def test_an_encrypted_document_is_unreadable_and_says_so(clients: AwsClients, configuration: SsmConfiguration) -> None:
    client = clients.client("ssm", UnlimitedBudget())
    client.put_parameter(Name="/warmpool/ml/stop", Value="secret text", Type="SecureString")

    stop = read(configuration).stop

    assert isinstance(stop, Unreadable)
    assert "put it as a String" in stop.why
    assert "secret text" not in stop.why


def test_unknown_parameters_are_ignored_with_one_warning(
    clients: AwsClients, configuration: SsmConfiguration, telemetry: RecordingTelemetry
) -> None:
    put(clients, **{"ml/cpu/spec": "spec", "ml/cpu/overide": "typo", "ml/a/b/spec": "too deep", "ml/Stop": "freeze"})

    assert read(configuration) == Documents(specs={"cpu": "spec"})
    read(configuration)

    [(text, fields)] = telemetry.warnings
    assert text.startswith("3 parameters are ignored")
    assert fields == {"parameters": "/warmpool/ml/Stop, /warmpool/ml/a/b/spec, /warmpool/ml/cpu/overide"}


def test_many_unknown_parameters_make_one_short_warning(
    clients: AwsClients, configuration: SsmConfiguration, telemetry: RecordingTelemetry
) -> None:
    put(clients, **{f"ml/junk-{number:02}": "x" for number in range(30)})
    read(configuration)

    [(text, fields)] = telemetry.warnings
    assert text.startswith("30 parameters are ignored")
    assert str(fields["parameters"]).count("junk") == 5


def test_an_override_of_a_pool_without_a_spec_is_kept_and_warned_of(
    clients: AwsClients, configuration: SsmConfiguration, telemetry: RecordingTelemetry
) -> None:
    put(clients, **{"ml/cpuu/override": "{}"})

    assert read(configuration) == Documents(specs={}, overrides={"cpuu": "{}"})
    assert telemetry.warnings[0][1] == {"parameters": "/warmpool/ml/cpuu/override"}
