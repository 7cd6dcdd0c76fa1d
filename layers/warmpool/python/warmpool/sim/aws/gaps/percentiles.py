"""Gap: moto's CloudWatch knows no percentiles, and fails over answers that ask for one."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from moto.cloudwatch.models import Statistics

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def percentiles() -> Iterator[None]:
    """Give p0 to p100 of a period's values by the nearest rank."""

    def statistic(of: Statistics, stat: str) -> Any:
        values = sorted(of.metric_single_values_list)
        if not stat.startswith("p") or not values:
            return original(of, stat)
        return values[max(0, math.ceil(float(stat[1:]) / 100 * len(values)) - 1)]

    with replaced(Statistics, "get_statistics_for_type", statistic) as original:
        yield
