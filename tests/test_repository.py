"""The shape of the repository: what nobody wants to look after by hand."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from warmpool.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "layers/warmpool/python/warmpool"
PRODUCT = (ROOT / "functions", ROOT / "infra", PACKAGE)
NOT_OURS = {"__pycache__", "node_modules", "build", "cdk.out"}

PURE_MODULES = {
    "abc",
    "bisect",
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "operator",
    "re",
    "statistics",
    "types",
    "typing",
    "zoneinfo",
}
"""What the core may import of the standard library: nothing that reads, writes, waits or guesses."""
EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}


def files(*roots: Path) -> Iterator[Path]:
    """Yield the files that belong to the repository: no caches, nothing that a target made."""
    for root in roots:
        for path in sorted(root.iterdir()):
            if path.name in NOT_OURS or (path.name.startswith(".") and path.name != ".ci"):
                continue
            if path.is_dir():
                yield from files(path)
            else:
                yield path


def modules(*roots: Path) -> list[Path]:
    return [path for path in files(*roots) if path.suffix == ".py"]


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def function_names() -> list[str]:
    return sorted(path.parent.name for path in (ROOT / "functions").glob("*/handler.py"))


def test_there_is_something_to_look_at() -> None:
    assert function_names()
    assert len(modules(*PRODUCT)) > 50


@pytest.mark.parametrize("name", function_names())
def test_a_handler_is_short_and_imports_only_the_package_and_powertools(name: str) -> None:
    handler = ROOT / "functions" / name / "handler.py"

    assert len(handler.read_text().splitlines()) <= 40
    assert {module.partition(".")[0] for module in imported(handler)} <= {
        "aws_lambda_powertools",
        "collections",
        "typing",
        "warmpool",
    }
    assert "→" in (ast.get_docstring(parsed(handler)) or "") or "->" in (ast.get_docstring(parsed(handler)) or "")


@pytest.mark.parametrize("name", function_names())
def test_a_function_is_deployed_and_tested(name: str) -> None:
    deployed = [path for path in modules(ROOT / "infra") if f"functions/{name}" in path.read_text()]
    tested = [path for path in modules(ROOT / "tests") if f"functions.{name}" in path.read_text()]

    assert deployed, f"no construct in infra/ deploys functions/{name}"
    assert tested, f"no test imports functions.{name}"


def test_files_can_be_read_in_one_sitting() -> None:
    long = {
        name_of(path): lines
        for limit, roots in ((300, PRODUCT), (400, (ROOT / "tests",)))
        for path in modules(*roots)
        if (lines := len(path.read_text().splitlines())) > limit
    }

    assert long == {}


def test_functions_fit_on_a_screen() -> None:
    """From the docstring on: a command's options are a table, which is long without being hard."""
    long = {
        f"{name_of(path)}:{node.lineno} {node.name}": lines
        for path in modules(*PRODUCT)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.body[0].lineno + 1) > 45
    }

    assert long == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in modules(*PRODUCT) if path.stem in EMPTY_NAMES] == []


def test_the_core_imports_nothing_but_itself_and_pure_modules() -> None:
    impure = {
        f"{name_of(path)}: {module}"
        for path in modules(PACKAGE / "core")
        for module in imported(path)
        if module.partition(".")[0] not in PURE_MODULES and not module.startswith("warmpool.core")
    }

    assert impure == set()


def test_no_note_to_self_is_left() -> None:
    note = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK")) + r")\b")
    texts = {".md", ".py", ".toml", ".yaml", ".yml", ".sh", ".j2", ".html", ""}
    left = [
        f"{name_of(path)}:{number}"
        for path in files(ROOT)
        if path.suffix in texts
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if note.search(line)
    ]

    assert left == []


def test_every_broad_except_is_a_named_boundary() -> None:
    unnamed = []
    for path in modules(*PRODUCT):
        lines = path.read_text().splitlines()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
            ):
                around = " ".join(lines[max(0, node.lineno - 12) : node.lineno + 1])
                if "boundary" not in around:
                    unnamed.append(f"{name_of(path)}:{node.lineno}")

    assert unnamed == []


def test_every_acknowledged_finding_has_a_reason_of_ten_words() -> None:
    calls = [
        node
        for path in modules(ROOT / "infra")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("acknowledge", "acknowledge_warning"))
    ]
    reasons = [call.args[-1].value for call in calls if isinstance(call.args[-1], ast.Constant)]

    assert len(reasons) >= 5
    assert [reason for reason in reasons if len(str(reason).split()) < 10] == []


def test_every_target_of_the_makefile_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text()
    [phony] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    helped = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))

    assert helped == set(phony.split())
    assert helped >= {"help", "install", "demo", "test", "check", "bench", "synth", "docs", "clean"}


def test_no_trace_is_committed_beside_the_week_of_the_demo() -> None:
    traces = [path.name for path in files(ROOT) if re.search(r"\.(csv|tsv|parquet)(\.gz)?$", path.name)]

    assert traces == ["mix5-week.csv"]


def test_every_ignored_rule_has_its_reason() -> None:
    section = (ROOT / "pyproject.toml").read_text().split("[tool.ruff.lint]")[1].split("[tool.importlinter]")[0]
    ignores = re.findall(r'^\s+"([A-Z]+\d+)",(.*)$', section, re.MULTILINE)

    assert len(ignores) > 10
    assert [rule for rule, rest in ignores if not re.fullmatch(r"\s*# \S.{6,}", rest)] == []


def test_uv_is_pinned_once_and_the_lock_agrees() -> None:
    pinned = re.findall(r'"uv==([^"]+)"', (ROOT / "pyproject.toml").read_text())
    lock = tomllib.loads((ROOT / "uv.lock").read_text())

    assert pinned == [package["version"] for package in lock["package"] if package["name"] == "uv"]


def test_the_cdk_command_line_is_pinned_to_one_that_reads_our_library() -> None:
    """aws-cdk 3.0.0 on npm is an old 2.x build that refuses the library's cloud assembly."""
    manifest = json.loads((ROOT / "infra/cli/package.json").read_text())
    lock = json.loads((ROOT / "infra/cli/package-lock.json").read_text())
    version = lock["packages"]["node_modules/aws-cdk"]["version"]

    assert manifest["dependencies"] == {"aws-cdk": version}
    assert version.startswith("2.")


def test_every_command_is_documented() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = " ".join(page.read_text() for page in pages if page.exists())

    assert [command for command in COMMANDS if f"warmpool {command}" not in text] == []
