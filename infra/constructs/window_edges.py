"""EventBridge Scheduler at the windows' edges, beside the tick."""

from collections.abc import Iterable, Sequence
from typing import Final

from aws_cdk import TimeZone
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.constructs.schedule import Tick
from infra.edges import Edge, edges_of
from warmpool.app.kinds import Kind
from warmpool.core.spec import PoolSpec

MOST_EDGES: Final = 150
"""Of the 500 resources that a template may hold, about 40 are the stack's own and 3 each pool's."""
_LONGEST_DESCRIPTION: Final = 512


class WindowEdges(Construct):
    """The edges of all windows, with the tick's group, role and dead letters."""

    def __init__(self, scope: Construct, construct_id: str, *, pools: Iterable[PoolSpec], tick: Tick) -> None:
        super().__init__(scope, construct_id)
        edges = edges_of(pools)
        self.left_out: Sequence[Edge] = edges[MOST_EDGES:]
        """For these there is the tick alone."""
        for edge in edges[:MOST_EDGES]:
            scheduler.Schedule(
                self,
                edge.name,
                schedule_name=edge.name,
                description="; ".join(edge.what)[:_LONGEST_DESCRIPTION],
                schedule=scheduler.ScheduleExpression.expression(edge.expression, TimeZone.of(edge.timezone)),
                schedule_group=tick.group,
                target=tick.target(Kind.WINDOW),
            )
