"""A deployment is read from the spec file and the CDK context; what is wrong says where and what was expected."""

from pathlib import Path

import pytest

from infra.config import Context, Network, load_deployment
from tests.infra.synthesis import NETWORK, ROOT
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable

POOLS = (ROOT / "infra/pools.yaml").read_text()


def context(**values: object) -> Context:
    """Return a context with an EKS name, or what the test sets in its place."""
    return {"eksCluster": "ml-research-eks", **values}.get


def eks_spec(folder: Path) -> str:
    path = folder / "eks.yaml"
    path.write_text(POOLS.replace("{hyperpod: ml-research}", "{eks: plain_eks}"))
    return str(path)


def test_the_example_deploys_as_it_stands() -> None:
    deployment = load_deployment(context(), ROOT)

    assert deployment.stack_name == "warmpool-ml-research"
    assert deployment.eks_cluster == "ml-research-eks"
    assert list(deployment.spec.pools) == list(deployment.runtime_documents) == ["spaces-cpu"]
    assert deployment.network is None
    assert deployment.alarm_email is None


def test_a_stack_outside_hyperpod_is_named_after_its_eks_cluster(tmp_path: Path) -> None:
    deployment = load_deployment(context(spec=eks_spec(tmp_path), eksCluster=None), ROOT)

    assert deployment.eks_cluster == "plain_eks"
    assert deployment.stack_name == "warmpool-plain-eks"


def test_a_network_is_read_from_texts_or_from_lists() -> None:
    expected = Network(
        vpc_id=NETWORK["vpcId"],
        subnet_ids=tuple(NETWORK["subnetIds"].split(",")),
        cluster_security_group_id=NETWORK["clusterSecurityGroupId"],
    )

    assert load_deployment(context(**NETWORK), ROOT).network == expected
    as_list = {**NETWORK, "subnetIds": NETWORK["subnetIds"].split(",")}
    assert load_deployment(context(**as_list), ROOT).network == expected


def test_a_hyperpod_cluster_needs_its_eks_name_and_is_told_how_to_find_it() -> None:
    with pytest.raises(ConfigInvalid, match=r"eksCluster: is absent.* --cluster-name ml-research ") as caught:
        load_deployment(context(eksCluster=None), ROOT)

    assert caught.value.path == "eksCluster"


def test_two_names_for_one_cluster_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="is 'other', but the spec names 'plain_eks'"):
        load_deployment(context(spec=eks_spec(tmp_path), eksCluster="other"), ROOT)


@pytest.mark.parametrize("missing", sorted(NETWORK))
def test_half_a_network_is_an_error(missing: str) -> None:
    with pytest.raises(ConfigInvalid, match=f"{missing}: is absent"):
        load_deployment(context(**{key: value for key, value in NETWORK.items() if key != missing}), ROOT)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stackName", "under_score"),
        ("stackName", "x" * 51),
        ("eksCluster", "two words"),
        ("alarmEmail", "nobody"),
        ("alarmEmail", 7),
        ("spec", ["a", 1]),
    ],
)
def test_a_wrong_value_is_named_and_shown(key: str, value: object) -> None:
    with pytest.raises(ConfigInvalid, match=f"CDK context: {key}: is ") as caught:
        load_deployment(context(**{key: value}), ROOT)

    assert repr(value) in caught.value.message


def test_a_wrong_subnet_is_named_and_shown() -> None:
    with pytest.raises(ConfigInvalid, match="subnetIds: is 'subnet-1,vpc-2'"):
        load_deployment(context(**{**NETWORK, "subnetIds": "subnet-1,vpc-2"}), ROOT)


def test_a_spec_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigUnreadable, match=r"no-such\.yaml"):
        load_deployment(context(spec="infra/no-such.yaml"), ROOT)


def test_a_wrong_spec_fails_before_anything_is_synthesised(tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    path.write_text(POOLS.replace("max: 8", "max: eight"))

    with pytest.raises(ConfigInvalid, match=r"pools\.spaces-cpu\.max"):
        load_deployment(context(spec=str(path)), ROOT)
