"""The filter's stand-in reads what CloudWatch's documentation shows, and refuses what it cannot read."""

import pytest

from tests.events.cloudwatch_filter import compile_pattern

EVENT = {
    "eventType": "UpdateTrail",
    "sourceIPAddress": "111.111.111.111",
    "arrayKey": ["value", "another value"],
    "objectList": [{"name": "a", "id": 1}, {"name": "b", "id": 2}],
    "SomeObject": None,
    "cluster": {"count": 4, "in-service": True},
}


@pytest.mark.parametrize(
    ("pattern", "met"),
    [
        ('{ $.eventType = "UpdateTrail" }', True),
        ('{ $.eventType != "UpdateTrail" }', False),
        ('{ $.eventType = "Update*" }', True),
        ('{ $.eventType = "*Trail" && $.sourceIPAddress = "123.*" }', False),
        ('{ $.arrayKey[0] = "value" }', True),
        ("{ $.objectList[1].id = 2 }", True),
        ("{ $.objectList[9].id = 2 }", False),
        ("{ $.SomeObject IS NULL }", True),
        ("{ $.SomeOtherObject NOT EXISTS }", True),
        ("{ $.SomeObject NOT EXISTS }", False),
        ("{ $.cluster.in-service IS TRUE }", True),
        ("{ $.cluster.count >= 4 && $.cluster.count < 5 }", True),
        ('{ $.cluster.count = "4" }', False),
        ("{ $.eventType = 4 }", False),
        ("{ $.absent != 4 }", False),
        ('{ $.absent != "x" }', False),
        ('{ ($.absent = "x") || (($.cluster.count > 3) && ($.eventType = "U*")) }', True),
        ('{ $.eventType = "no" && $.absent = 1 || $.cluster.count = 4 }', True),
    ],
)
def test_a_pattern_is_read_as_the_documentation_says(pattern: str, met: bool) -> None:  # noqa: FBT001 - a table
    assert compile_pattern(pattern)(EVENT) is met


@pytest.mark.parametrize("event", [None, 3, [], "text", {}, {"cluster": 3}])
def test_no_event_makes_it_fail(event: object) -> None:
    assert not compile_pattern("{ $.cluster.count = 4 }")(event)


@pytest.mark.parametrize(
    "pattern",
    ["", "{", "{ }", "{ $.a }", "{ $.a = }", "{ $.a = 1", "{ $.a = 1 } x", "{ ($.a = 1 }", "{ a = 1 }", "{ $.a ~ 1 }"],
)
def test_a_pattern_that_is_not_well_formed_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"cannot read|expected|unexpected"):
        compile_pattern(pattern)
