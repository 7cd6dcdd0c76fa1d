"""Gap: moto works the same names out anew in every call, which is a third of what an SQS call costs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from moto.core import responses
from moto.core.utils import camelcase_to_underscores, method_names_from_class
from moto.sqs import models

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def quick_names() -> Iterator[None]:
    """Remember attribute and method names, which depend on nothing but their arguments."""
    with ExitStack() as stack:
        stack.enter_context(replaced(models, "camelcase_to_underscores", cache(camelcase_to_underscores)))
        stack.enter_context(replaced(responses, "camelcase_to_underscores", cache(camelcase_to_underscores)))
        stack.enter_context(replaced(responses, "method_names_from_class", cache(method_names_from_class)))
        yield
