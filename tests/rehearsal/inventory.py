"""What there is in the account, by kind and name."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tests.rehearsal.ground import AUDIT_LOG, REGION, Ground
from tests.rehearsal.models import AccessEntryResource

Found = frozenset[tuple[str, str]]

_LISTED: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "stack": ("cloudformation", "describe_stacks", "Stacks", "StackName"),
    "function": ("lambda", "list_functions", "Functions", "FunctionName"),
    "layer": ("lambda", "list_layers", "Layers", "LayerName"),
    "event source mapping": ("lambda", "list_event_source_mappings", "EventSourceMappings", "UUID"),
    "queue": ("sqs", "list_queues", "QueueUrls", ""),
    "table": ("dynamodb", "list_tables", "TableNames", ""),
    "parameter": ("ssm", "describe_parameters", "Parameters", "Name"),
    "role": ("iam", "list_roles", "Roles", "RoleName"),
    "policy": ("iam", "list_policies", "Policies", "Arn"),
    "rule": ("events", "list_rules", "Rules", "Name"),
    "schedule group": ("scheduler", "list_schedule_groups", "ScheduleGroups", "Name"),
    "schedule": ("scheduler", "list_schedules", "Schedules", "Name"),
    "alarm": ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    "composite alarm": ("cloudwatch", "describe_alarms", "CompositeAlarms", "AlarmName"),
    "dashboard": ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
    "topic": ("sns", "list_topics", "Topics", "TopicArn"),
    "log group": ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    "bucket": ("s3", "list_buckets", "Buckets", "Name"),
}
"""By kind: service, operation, where in its answer the list is, and the name in an item ("": the item itself)."""
_NARROWED: Final[Mapping[str, Mapping[str, str]]] = {"policy": {"Scope": "Local"}}


def inventory(ground: Ground) -> Found:
    """Return everything of the kinds that the stack has."""
    return frozenset({*_listed(ground), *_inside(ground)})


def kinds(found: Iterable[tuple[str, str]]) -> set[str]:
    """Return the kinds of what was found."""
    return {kind for kind, _ in found}


def _listed(ground: Ground) -> Iterator[tuple[str, str]]:
    for kind, (service, operation, key, name) in _LISTED.items():
        client = ground.client(service, REGION)
        pages: Any = (
            client.get_paginator(operation).paginate(**_NARROWED.get(kind, {}))
            if client.can_paginate(operation)
            else [getattr(client, operation)(**_NARROWED.get(kind, {}))]
        )
        for page in pages:
            for item in page.get(key, ()):
                yield kind, item[name] if name else item


def _inside(ground: Ground) -> Iterator[tuple[str, str]]:
    filters = ground.client("logs").describe_subscription_filters(logGroupName=AUDIT_LOG)["subscriptionFilters"]
    for each in filters:
        yield "subscription filter", each["filterName"]
    for _, principal in AccessEntryResource.PRESENT:
        yield "access entry", principal
