"""Other hands on the scale, told apart by real field managers: GitOps, a program, a live CPA, a ScaledObject."""

from typing import Any

import pytest

from tests.cluster.api import Object
from tests.cluster.conftest import NewLab
from tests.cluster.lab import Lab, codes
from warmpool.core.reasons import Code

SCALED_OBJECTS: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "scaledobjects.keda.sh"},
    "spec": {
        "group": "keda.sh",
        "scope": "Namespaced",
        "names": {"kind": "ScaledObject", "plural": "scaledobjects", "singular": "scaledobject"},
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                },
            }
        ],
    },
}
"""The part of KEDA's type that an observation reads: any object."""


def scale_as(lab: Lab, manager: str, replicas: int) -> None:
    """Write the scale subresource in a program's name."""
    lab.plane.api.request(
        "PATCH",
        f"/apis/apps/v1/namespaces/{lab.namespace}/deployments/ph/scale",
        {"spec": {"replicas": replicas}},
        content_type="application/merge-patch+json",
        fieldManager=manager,
    )


def only_replicas(lab: Lab, **spec: Any) -> Object:
    """Build what a GitOps manager applies: the Deployment, with or without its replicas."""
    found = lab.deployment()
    assert found is not None
    kept = {key: found["spec"][key] for key in ("selector", "template")}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "ph", "namespace": lab.namespace},
        "spec": {**kept, **spec},
    }


def test_a_gitops_manager_that_applies_replicas_owns_them(lab: Lab) -> None:
    lab.warm(2)
    lab.plane.api.apply([only_replicas(lab, replicas=3)], manager="argocd-controller")

    decisions = lab.for_passes(3)

    assert all(Code.FOREIGN_WRITER in codes(each) for each in decisions)
    assert "argocd-controller" in decisions[-1].reasons[0].text
    assert lab.replicas() == 3


@pytest.mark.parametrize(("initial_replicas", "code"), [(1, Code.FOREIGN_WRITER), (None, Code.MANUAL_SCALE)])
def test_an_unknown_program_that_scaled_is_named_where_it_left_a_trace(
    new_lab: NewLab, initial_replicas: int | None, code: Code
) -> None:
    """Where nobody owned the replicas before, the API server notes nobody after: then it passes for a person."""
    lab: Lab = new_lab(initial_replicas=initial_replicas)
    lab.warm(2)
    scale_as(lab, "some-operator", 4)

    decisions = lab.for_passes(3)

    assert all(code in codes(each) for each in decisions)
    assert lab.replicas() == 4


def test_a_live_cpa_is_left_alone_and_named(lab: Lab) -> None:
    lab.warm(2)
    container = {"name": "cpa", "image": "cpa", "args": ["--target=deployment/ph", f"--namespace={lab.namespace}"]}
    labels = {"app": "cpa"}
    lab.plane.api.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "cpa", "namespace": lab.namespace},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
    )
    lab.change(min=4)

    decisions = lab.for_passes(3)

    assert all(Code.FOREIGN_WRITER in codes(each) for each in decisions)
    assert "cpa" in decisions[-1].reasons[0].text
    assert lab.replicas() == 2


@pytest.mark.parametrize("target", ["ph", "another"])
def test_a_scaled_object_counts_only_where_it_targets_the_placeholders(lab: Lab, target: str) -> None:
    lab.warm(2)
    lab.plane.api.apply([SCALED_OBJECTS])
    lab.plane.api.wait_for_types([SCALED_OBJECTS])
    lab.plane.api.create(
        {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "ScaledObject",
            "metadata": {"name": "foreign", "namespace": lab.namespace},
            "spec": {"scaleTargetRef": {"name": target}},
        }
    )

    decisions = lab.for_passes(3)

    assert all((Code.FOREIGN_WRITER in codes(each)) is (target == "ph") for each in decisions)
