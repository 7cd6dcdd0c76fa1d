"""Which events of AWS make the next pass come sooner, in EventBridge's pattern language."""

from collections.abc import Mapping, Sequence
from typing import Any


def parameter_pattern(prefix: str) -> dict[str, Any]:
    """Match changes below the stack's path; the slash keeps out a stack whose name only begins the same."""
    return _pattern(
        "aws.ssm",
        ["Parameter Store Change"],
        {"name": [{"prefix": f"{prefix}/"}], "operation": ["Create", "Update", "Delete"]},
    )


def cluster_event_pattern(cluster: str) -> dict[str, Any]:
    """Match the operational events of one cluster, which hold its name one level deeper."""
    return _pattern("aws.sagemaker", ["SageMaker HyperPod Cluster Event"], {"EventDetails": {"ClusterName": [cluster]}})


def cluster_state_pattern(cluster: str) -> dict[str, Any]:
    """Match one cluster's changes of state and its nodes' changes of health."""
    return _pattern(
        "aws.sagemaker",
        ["SageMaker HyperPod Cluster State Change", "SageMaker HyperPod Cluster Node Health Event"],
        {"ClusterName": [cluster]},
    )


def alarm_pattern(stack_name: str) -> dict[str, Any]:
    """Match alarms of one stack that go off or are over; one that has only just been created is neither."""
    over = {"state": {"value": ["OK"]}, "previousState": {"value": ["ALARM"]}}
    return _pattern(
        "aws.cloudwatch",
        ["CloudWatch Alarm State Change"],
        {"alarmName": [{"prefix": f"{stack_name}-"}], "$or": [{"state": {"value": ["ALARM"]}}, over]},
    )


def _pattern(source: str, types: Sequence[str], detail: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": [source], "detail-type": list(types), "detail": dict(detail)}
