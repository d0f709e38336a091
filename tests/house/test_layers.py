"""The house: imports point upward only, heavy libraries enter at named doors, nothing is asserted."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "paretonym"
FILES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted(Path(__file__).parents[1].rglob("*.py"))

# From the street to the roof; what stands in one line does not see its neighbours.
LAYERS = (
    ("base.language",),
    (
        "base.arrays",
        "tables.arrow",
        "tables.data_kinds",
        "base.errors",
        "base.notice",
        "base.sentence_parts",
        "version",
    ),
    (
        "base.notebook_view",
        "base.random_seed",
        "base.rounding",
        "base.number_text",
        "base.factorize",
        "base.budget",
        "tables.data_address",
        "base.sql_literals",
        "base.thread_pool",
    ),
    ("base.files",),
    ("base.state",),
    ("base.extras",),
    ("base.plug_ins",),
    ("tables.source",),
    ("tables.schema",),
    ("engine.counts",),
    ("engine.recoding",),
    ("engine.measures",),
    ("engine.risk", "evidence.utility"),
    ("engine.frontier",),
    ("engine.search",),
    ("engine.spaces",),
    ("release", "audit"),
    ("evidence.criteria",),
    ("evidence.attacks",),
    ("report",),
    ("study",),
    ("interfaces.web",),
    ("interfaces.cli",),
    ("__main__",),
    ("research.papers.methods", "research.microaggregation", "research.buckets"),
    ("research.exams", "research.papers.reproductions"),
    ("research.reproduce_command",),
)
ROOMS = ("base", "tables", "engine", "evidence", "interfaces", "research")
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}

# Where each heavy library may enter: folders or files.
DOORS = {
    "ctypes": ("engine/counts/kernel_library.py", "engine/counts/kernel_declarations.py"),
    "pyarrow": (
        "tables/arrow.py",
        "tables/source/",
        "audit/",
        "research/exams/random_tables.py",
    ),
    "narwhals": ("tables/source/",),
    "moocore": ("engine/frontier/", "research/papers/methods/nsga2.py"),
    "click": ("interfaces/cli/", "research/reproduce_command.py"),
    "rich": ("interfaces/cli/", "research/reproduce_command.py"),
    "pandas": ("study/explored_run.py", "engine/measures/measure_table.py"),
    "polars": ("study/explored_run.py",),
    "pyreadstat": ("tables/source/statistics_file.py",),
    "python_calamine": ("tables/source/workbook_cells.py",),
    "duckdb": ("tables/source/engines/duckdb_session.py",),
    "adbc_driver_manager": ("tables/source/engines/postgresql_database.py",),
    "adbc_driver_postgresql": ("tables/source/engines/postgresql_database.py",),
    "tomlkit": ("tables/schema/draft/schema_edits.py",),
    "sklearn": ("evidence/utility/prediction.py",),
    "matplotlib": ("report/figures/", "research/papers/reproductions/panels.py"),
    "fastapi": ("interfaces/web/app.py", "interfaces/web/api.py"),
    "starlette": ("interfaces/web/app.py",),
    "pydantic": ("interfaces/web/request_models.py",),
    "uvicorn": ("interfaces/web/server.py", "interfaces/web/slow_clients.py"),
}

# `import paretonym` and its first functions must be quick.
HEAVY = (
    "numpy",
    "pyarrow",
    "moocore",
    "pandas",
    "narwhals",
    "click",
    "rich",
    "duckdb",
    "matplotlib",
    "fastapi",
    "uvicorn",
)

# The second opinion knows nothing but these: the reader of tables and schemas, and plain helpers.
OPINION = (
    "paretonym.base.arrays",
    "paretonym.tables.data_address",
    "paretonym.tables.data_kinds",
    "paretonym.base.errors",
    "paretonym.base.notebook_view",
    "paretonym.tables.schema",
    "paretonym.tables.source",
    "paretonym.base.sql_literals",
    "paretonym.version",
    "paretonym.audit",
)
UNKNOWN_TO_IT = (
    "engine.counts",
    "engine.recoding",
    "engine.spaces",
    "engine.measures",
    "engine.frontier",
    "engine.search",
    "study",
)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(path)))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, also inside functions, with its line. What is there for the type
    checker alone counts too: it is knowledge of another layer."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno} imports relatively"
            module = node.module or ""
            yield node.lineno, module
            if module == "paretonym":
                for alias in node.names:
                    yield node.lineno, f"paretonym.{alias.name}"


def in_every_file(check: Callable[[Path], None]) -> Callable[[], None]:
    """One test of all files: one for each of them would take longer than the check itself."""

    def checked() -> None:
        for path in FILES:
            check(path)

    return checked


def beginnings(parts: Sequence[str]) -> list[str]:
    """Dotted names of the first parts, the longest first."""
    return [".".join(parts[:length]) for length in range(len(parts), 0, -1)]


def layer(module: str) -> str | None:
    """The layer of one of our modules: the longest beginning of its name that has one."""
    _, *parts = module.split(".")
    return next((name for name in beginnings(parts) if name in HEIGHT), None)


def room_of(parts: Sequence[str]) -> str | None:
    """The room that a name begins with."""
    return parts[0] if parts and parts[0] in ROOMS else None


def package_of(module: str) -> str:
    """The package that one enters by its front door: the outermost one, or the outermost one of a room."""
    _, *parts = module.split(".")
    return ".".join(("paretonym", *parts[: 2 if room_of(parts) else 1]))


@in_every_file
def test_imports_point_upward(path: Path) -> None:
    own = layer(module_name(path))
    if own is None:
        empty = path.stem == "__init__" and (path.parent == PACKAGE or not list(imports(path)))
        assert empty, f"{name_of(path)} has no place in the house"
        return
    for line, module in imports(path):
        if module.split(".")[0] != "paretonym" or (other := layer(module)) is None:
            continue
        allowed = other == own or HEIGHT[other] < HEIGHT[own]
        assert allowed, f"{name_of(path)}:{line} imports {module}, which lies beside or above it"


@in_every_file
def test_heavy_libraries_enter_at_their_doors(path: Path) -> None:
    for line, module in imports(path):
        library = module.split(".")[0]
        if library in DOORS:
            open_here = name_of(path).startswith(DOORS[library]) if DOORS[library] else False
            assert open_here, f"{name_of(path)}:{line} imports {library}; its doors are {DOORS[library]}"


@in_every_file
def test_the_audit_shares_no_code(path: Path) -> None:
    if not name_of(path).startswith("audit/"):
        return
    for line, module in imports(path):
        if module.split(".")[0] == "paretonym":
            known = any(module == name or module.startswith(f"{name}.") for name in OPINION)
            assert known, f"{name_of(path)}:{line} imports {module}: an audit shares no code with the search"


def test_an_audit_loads_nothing_of_the_search() -> None:
    """Not by a detour either: what it imports imports nothing of these."""
    program = (
        "import sys, paretonym.audit.audit\n"
        "import paretonym.tables.schema.schema_binding, paretonym.tables.source.data_file\n"
        f"names = ['paretonym.' + name for name in {UNKNOWN_TO_IT!r}]\n"
        "sys.exit(str([m for m in sys.modules for n in names if m == n or m.startswith(n + '.')] or ''))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == ""


@in_every_file
def test_nothing_is_asserted(path: Path) -> None:
    """Asserts vanish under `python -O`, and a user's mistake deserves words."""
    lines = [node.lineno for node in nodes(path) if isinstance(node, ast.Assert)]
    assert not lines, f"{name_of(path)} asserts in lines {lines}"


@in_every_file
def test_every_file_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(parsed(path)), f"{name_of(path)} has no docstring"


def test_no_door_leads_nowhere() -> None:
    for library, doors in DOORS.items():
        for door in doors:
            files = [path for path in FILES if name_of(path).startswith(door)]
            used = {module.split(".")[0] for path in files for _, module in imports(path)}
            assert library in used, f"{library} does not enter at {door}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = f"import sys, paretonym; sys.exit(str(sorted(set({HEAVY!r}) & set(sys.modules)) or ''))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == ""


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def import_graph() -> dict[str, set[str]]:
    """Which of our modules each one imports, also inside functions and for the type checker alone. Whoever
    imports a module imports its packages first."""
    known = {module_name(path): path for path in FILES}
    graph: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for node in nodes(path):
            found: list[str] = []
            if isinstance(node, ast.ImportFrom):
                found = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            for other in found:
                parts = other.split(".")
                packages = (".".join(parts[:length]) for length in range(2, len(parts) + 1))
                graph[name] |= {
                    each for each in packages if each in known and not f"{name}.".startswith(f"{each}.")
                }
    return graph


def exported(module: str) -> set[str]:
    """The names in the `__all__` of a package, or of a module that is a door itself, such as a contract."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def is_package(module: str) -> bool:
    return PACKAGE.parent.joinpath(*module.split("."), "__init__.py").exists()


@in_every_file
def test_packages_are_entered_by_their_front_doors(path: Path) -> None:
    """From another package only what its `__init__`, or a module with `__all__`, exports is imported."""
    own = package_of(module_name(path))
    if own == "paretonym.__main__":
        return  # It starts the command, as the script in pyproject.toml does.
    for node in nodes(path):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("paretonym."):
            continue
        module = node.module or ""
        package = package_of(module)
        if package == own or not is_package(package):
            continue
        assert exported(module), f"{name_of(path)}:{node.lineno} imports past the door of {package}"
        missing = {alias.name for alias in node.names} - exported(module)
        assert not missing, f"{name_of(path)}:{node.lineno}: {module} does not export {sorted(missing)}"


@cache
def imported_names() -> dict[str, set[str]]:
    """What source and tests import from each module by name."""
    used: dict[str, set[str]] = defaultdict(set)
    for path in (*FILES, *TESTS):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module:
                used[node.module] |= {alias.name for alias in node.names}
    return used


def test_front_doors_export_what_is_used() -> None:
    """No door is wider than those who come through it need; the package itself is for its users."""
    packages = {module_name(path) for path in FILES if path.stem == "__init__"}
    for package in packages - {"paretonym", "paretonym.research.exams"}:
        assert exported(package) <= imported_names()[package], package


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules that reach themselves, those that reach each other together."""
    reached = {}
    for name, others in graph.items():
        seen: set[str] = set()
        waiting = list(others)
        while waiting:
            if (other := waiting.pop()) not in seen:
                seen.add(other)
                waiting.extend(graph[other])
        reached[name] = seen
    together = {tuple(sorted(o for o in reached[n] if n in reached[o])) for n in graph if n in reached[n]}
    return sorted(map(list, together))


def test_a_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert cycles(graph) == [["b", "c"]]


def test_no_module_is_in_an_import_cycle() -> None:
    assert cycles(import_graph()) == []


# Nouns of the field that end like a verb.
NOUNS = {"binding", "crowding", "encoding", "formatting", "recoding", "rounding", "sorting"}


def last_names() -> list[str]:
    """The names of modules and packages; a module that has its package's name is the same idea."""
    names = [module_name(path).split(".") for path in FILES]
    return [name[-1] for name in names if name[-1:] != name[-2:-1]]


def test_module_names_are_unique() -> None:
    names = last_names()
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_module_names_are_nouns() -> None:
    """Verbs are for functions: no module is called by what it is doing, unless the field's noun ends so."""
    names = {name.rpartition("_")[2] for name in last_names() if name.endswith("ing")}
    assert sorted(names - NOUNS) == []


UNIT = Path(__file__).parents[1] / "unit"


def test_unit_tests_mirror_the_tree() -> None:
    """A file of unit tests lies where its module lies, and has its name, or its name and a subject
    (`test_kernel_library_fuzz.py`). What is about all of a package has the package's name."""
    for path in sorted(UNIT.rglob("test_*.py")):
        folder = path.parent.relative_to(UNIT)
        here = PACKAGE / folder
        assert here.is_dir(), f"{path.relative_to(UNIT)}: there is no package {folder}"
        known = {here.name, *(each.stem for each in here.glob("*.py"))}
        name = path.stem.removeprefix("test_")
        named = any(name == each or name.startswith(f"{each}_") for each in known)
        assert named, f"{path.relative_to(UNIT)}: {folder} has no module of that name; it has {sorted(known)}"
