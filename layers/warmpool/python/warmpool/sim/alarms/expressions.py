"""Metric math and the rules of composite alarms, as far as ours go: Python's parser reads both."""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from warmpool.sim.alarms.definitions import State

Column = Sequence[float | None]
"""A metric's values in the periods that an alarm looks at, the newest first; None where there is none."""

_WORDS: Final = {"AND": "and", "OR": "or", "NOT": "not", "&&": "and", "||": "or"}
_WORD: Final = re.compile(r'"[^"]*"|\bAND\b|\bOR\b|\bNOT\b|&&|\|\|')
_TWO: Final[Mapping[type, Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class NotUnderstood(ValueError):
    """An expression uses what this evaluator does not know: it must not be guessed."""


def parse(text: str) -> ast.expr:
    """Read an expression or a rule. Raises NotUnderstood."""
    spelt = _WORD.sub(lambda found: _WORDS.get(found[0], found[0]), text)
    try:
        return ast.parse(spelt, mode="eval").body
    except SyntaxError as error:
        raise NotUnderstood(f"{text!r}: {error.msg}") from error


def in_alarm(rule: ast.expr, states: Mapping[str, State]) -> bool:
    """Evaluate a composite alarm's rule. Raises NotUnderstood, and KeyError for an alarm that is not there."""
    match rule:
        case ast.BoolOp(op=ast.And()):
            return all(in_alarm(each, states) for each in rule.values)
        case ast.BoolOp(op=ast.Or()):
            return any(in_alarm(each, states) for each in rule.values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not in_alarm(operand, states)
        case ast.Call(func=ast.Name(id=state), args=[ast.Constant(value=str(name))]) if state in State.__members__:
            return states[name] is State[state]
    raise NotUnderstood(f"{ast.unparse(rule)!r} in a rule")


class Math:
    """Evaluates expressions, period by period.

    `fills_empty`: FILL also fills where a metric has no data at all in the periods looked at. What CloudWatch does then
    is not documented, so alarms should come out the same with both.
    """

    def __init__(self, *, fills_empty: bool = True) -> None:
        """Take what FILL does with nothing."""
        self._fills_empty = fills_empty

    def column(self, expression: ast.expr, metrics: Mapping[str, Column], length: int) -> list[float | None]:
        """Return the expression's values; None where it has none. Raises NotUnderstood."""
        match expression:
            case ast.Constant(value=int() | float() as value):
                return [float(value)] * length
            case ast.Name(id=name) if name in metrics:
                return list(metrics[name])
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, [self.column(each, metrics, length) for each in _flat(arguments)])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return [None if each is None else -each for each in self.column(operand, metrics, length)]
            case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
                rows = zip(self.column(left, metrics, length), self.column(right, metrics, length), strict=True)
                return [_two(op, *row) for row in rows]
            case ast.BoolOp(op=op, values=values):
                rows_of = zip(*(self.column(each, metrics, length) for each in values), strict=True)
                return [_logical(op, row) for row in rows_of]
        raise NotUnderstood(f"{ast.unparse(expression)!r} in metric math")

    def _call(self, name: str, columns: Sequence[Column]) -> list[float | None]:
        rows = list(zip(*columns, strict=True))
        match name, len(columns):
            case "FILL", 2:
                if not self._fills_empty and all(each is None for each in columns[0]):
                    return list(columns[0])
                return [filler if value is None else value for value, filler in rows]
            case "IF", 3:
                return [None if chosen is None else yes if chosen else no for chosen, yes, no in rows]
            case "MIN" | "MAX", _:
                pick: Callable[[Sequence[float]], float] = min if name == "MIN" else max
                known = [[each for each in row if each is not None] for row in rows]
                return [pick(each) if each else None for each in known]
        raise NotUnderstood(f"{name} of {len(columns)} in metric math")


def _flat(arguments: Sequence[ast.expr]) -> list[ast.expr]:
    """MIN and MAX take their series in brackets."""
    return [inner for each in arguments for inner in (each.elts if isinstance(each, ast.List) else [each])]


def _two(op: ast.AST, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    if isinstance(op, ast.Div):
        return left / right if right else None
    if type(op) not in _TWO:
        raise NotUnderstood(f"operator {type(op).__name__} in metric math")
    return float(_TWO[type(op)](left, right))


def _logical(op: ast.boolop, row: Sequence[float | None]) -> float | None:
    if any(each is None for each in row):
        return None
    return float(all(row) if isinstance(op, ast.And) else any(row))
