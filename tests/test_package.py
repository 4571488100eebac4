"""The package as a whole: what may import what, what is locked, and what is built, installed and tried."""

import ast
import contextlib
import os
import re
import shutil
import subprocess
import symtable
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import mtworkbench
from mtworkbench import outputs
from mtworkbench.lazy import MOVED
from mtworkbench.outputs.formats import FORMATS
from mtworkbench.shipped import SHIPPED
from mtworkbench.tables.looks import LOOKS
from scripts.make_release import build, copy_tracked, try_commands

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mtworkbench"

# Each room may import from those before it, and from itself; rooms of one line know nothing of each other.
ROOMS = (
    ("assumptions", "characters", "choices", "lazy", "version", "waiting", "wording"),
    ("distributions", "errors", "progress"),
    ("shown", "writing"),
    ("shipped", "store"),
    ("cache", "compiled"),
    ("work",),
    ("outputs",),
    ("metrics",),
    ("statistics",),
    ("resampling",),
    ("results",),
    ("inference",),
    ("words",),
    ("tables",),
    ("analyses",),
    ("plots",),
    ("exports",),
    ("reports",),
    ("widgets",),
    ("papers",),
    ("notebooks",),
    ("cli",),
)
RANKS = {room: rank for rank, rooms in enumerate(ROOMS) for room in rooms}
ONLY_IN = {
    "matplotlib": {"plots", "exports", "widgets", "papers"},
    "ipywidgets": {"widgets", "papers"},
    "anywidget": {"widgets"},
    "sacrebleu": {"metrics", "outputs/test_sets.py"},  # which asks it for public test sets
    "numba": {"compiled"},
    "jupyterlab": {"notebooks"},
    "nbclient": {"notebooks"},
    "joblib": {"work"},
    "distributed": {"work"},
    "dask": {"work"},
}


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_by(module: Path) -> set[str]:
    """Full dotted names that a module imports anywhere, `from a.b import c` as a.b.c."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute here"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or not path.name.startswith("__"))


@pytest.mark.parametrize("room", sorted({room_of(module) for module in MODULES}))
def test_imports_point_up_the_list_of_rooms(room):
    for module in (one for one in MODULES if room_of(one) == room):
        for name in imported_by(module):
            parts = name.split(".")
            if parts[0] != "mtworkbench":
                places = {room, module.relative_to(PACKAGE).as_posix()}
                home = ONLY_IN.get(parts[0], places)
                assert not places.isdisjoint(home), f"{module}: {name} belongs in {home}"
                continue
            imported = parts[1]
            if imported in RANKS and imported != room:
                assert RANKS[imported] < RANKS[room], f"{module}: {room} may not import {name}"
            else:
                assert imported in {room, "__version__"}, f"{module}: {name} is not in the list of rooms"


def test_every_result_finds_its_looks_in_the_room_that_writes():
    """Results name no function of that room: they ask `mtworkbench.shown`."""
    for name, looks in LOOKS.items():
        for place in looks.values():
            module, _, function = place.partition(":")
            assert callable(getattr(import_module(module), function)), f"{name}: {place}"


def test_every_random_draw_is_made_by_resampling():
    """What numpy's own distributions draw may change between its versions."""
    own = re.compile(r"= np\.random\.|random\.\w+\(.*\)\.")
    assert {path.name for path in PACKAGE.rglob("*.py") if own.search(path.read_text("utf-8"))} <= {"resampling.py"}


COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp")


def named_twice(table: symtable.SymbolTable) -> set[str]:
    """Names that a function takes from its module, and also gives to variables of its comprehensions."""
    found = set().union(*map(named_twice, table.get_children()))
    if table.get_type() == "function" and table.get_name() not in COMPREHENSIONS:
        parts = [one for one in table.get_children() if one.get_name() in COMPREHENSIONS]
        taken = {name for one in (table, *parts) for name in one.get_globals()}
        found |= taken & {name for one in parts for name in one.get_locals()}
    return found


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="since Python 3.12, comprehensions have no table of their own")
def test_no_variable_of_a_comprehension_hides_what_its_function_calls():
    """Python 3.12.1 takes such a name for a local one, and raises UnboundLocalError."""
    found = {path.name: named_twice(symtable.symtable(path.read_text("utf-8"), path.name, "exec")) for path in MODULES}
    assert {name: names for name, names in found.items() if names} == {}


def test_folders_of_outputs_import_downwards():
    ranks = {"checks": 0, "files": 1, "tabular": 2, "scores": 4}
    for module in (PACKAGE / "outputs").glob("*/*.py"):
        here = module.parent.name
        for name in imported_by(module):
            parts = name.split(".")
            if parts[:2] == ["mtworkbench", "outputs"] and parts[2] != here:
                assert ranks.get(parts[2], 3) < ranks[here], f"{module} may not import {name}"


def test_every_format_is_public_and_has_what_its_entry_names():
    for one in FORMATS:
        assert getattr(outputs, one.reader) is one.function(one.reader)
        for name in (one.recognizer, one.options and one.reads_options):
            assert not name or callable(one.function(name))


def test_the_list_of_folders_and_modules_is_whole():
    """CONTRIBUTING has a row for whatever has a place in `ROOMS`, in the same order."""
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*) \|", text.partition("turns ... into ...")[2], flags=re.MULTILINE)
    listed = [[name.removesuffix(".py") for name in re.findall(r"`([\w.]+)`", row)] for row in rows]
    assert [RANKS[name] for names in listed for name in names] == sorted(RANKS.values())
    assert {name for names in listed for name in names} == set(RANKS)


def test_only_the_terminal_imports_the_papers_and_only_when_asked():
    for module in MODULES:
        if room_of(module) not in ("papers", "cli"):
            assert not {name for name in imported_by(module) if name.startswith("mtworkbench.papers")}, module
    program = "import sys, mtworkbench.cli.program; print([name for name in sys.modules if '.papers' in name])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_papers_import_controls_in_their_explorers_and_figures_beside_them():
    for module in (PACKAGE / "papers").rglob("*.py"):
        outside = {name.split(".")[0] for name in imported_by(module)}
        inside = {name.split(".")[1] for name in imported_by(module) if name.startswith("mtworkbench.")}
        if module.stem != "explorers":
            assert not outside & {"ipywidgets", "anywidget"} and "widgets" not in inside, module
            if not module.stem.startswith("figures"):
                assert "matplotlib" not in outside and "plots" not in inside, module


def test_papers_share_what_is_in_common_and_nothing_else():
    folders = {path.name for path in (PACKAGE / "papers").iterdir() if (path / "__init__.py").exists()}
    shared = {"common", "simulation"}
    assert {"clark2011", "koehn2004"} | shared <= folders
    for folder in folders:
        others = folders - {folder} - (shared if folder not in shared else set())
        for module in (PACKAGE / "papers" / folder).glob("*.py"):
            taken = {name.split(".")[2] for name in imported_by(module) if name.startswith("mtworkbench.papers.")}
            assert not taken & others, module


def asks_a_metric_for_scores(node: ast.AST) -> bool:
    """Tell whether this is ``metric.score``, or that of anything's ``.metric``."""
    if not isinstance(node, ast.Attribute) or node.attr != "score":
        return False
    owner = node.value
    return (isinstance(owner, ast.Name) and owner.id == "metric") or (
        isinstance(owner, ast.Attribute) and owner.attr == "metric"
    )


def test_only_the_score_table_asks_a_metric_for_scores():
    """Bootstrap, randomization and the crossed analysis are of one object, that scores weighted sums of statistics."""
    asking = {
        module.name
        for module in MODULES
        if room_of(module) == "inference"
        and any(map(asks_a_metric_for_scores, ast.walk(ast.parse(module.read_text(encoding="utf-8")))))
    }
    assert asking == {"score_table.py"}


def test_resampling_needs_numpy_alone():
    needed = {name.split(".")[0] for name in imported_by(PACKAGE / "resampling.py")} - sys.stdlib_module_names
    assert needed == {"numpy", "mtworkbench"}
    ours = {name for name in imported_by(PACKAGE / "resampling.py") if name.startswith("mtworkbench")}
    assert ours <= {
        "mtworkbench.errors.InputError",
        "mtworkbench.errors.DataWarning",
        "mtworkbench.compiled.load_kernels",
        "mtworkbench.wording.tally",
    }


def test_import_loads_nothing_else():
    """The program in the terminal imports the package before it can say politely that it was interrupted."""
    program = "import sys; before = set(sys.modules); import mtworkbench; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "mtworkbench\n"


STUBS = {".".join(path.parent.relative_to(ROOT).parts): path for path in PACKAGE.rglob("*.pyi")}


@pytest.mark.parametrize("package", sorted(STUBS))
def test_every_public_name_is_found_where_it_is_said_to_be(package):
    folder = import_module(package)
    stub = ast.parse(STUBS[package].read_text(encoding="utf-8")).body[1:]
    assert set(folder.__all__) <= set(dir(folder))
    listed = []
    for node in stub:
        [alias] = node.names
        assert alias.name == alias.asname, "a type checker takes only `import name as name` for public"
        value = getattr(folder, alias.name)
        if node.module == package:
            assert value is import_module(f"{package}.{alias.name}")
            continue
        assert value is getattr(import_module(node.module), alias.name)
        if alias.name != "__version__":
            listed.append(alias.name)
            assert value.__doc__, f"{alias.name} has no docstring"
    assert folder.__all__ == listed


def test_the_front_is_small():
    assert len(mtworkbench.__all__) <= 50


@pytest.mark.parametrize("package", sorted(MOVED))
def test_a_name_that_has_moved_says_where_it_is_and_its_home_has_it(package):
    for name, home in MOVED[package].items():
        with pytest.warns(DeprecationWarning, match=f"^{package}.{name} is now {home}.{name}$") as caught:
            value = getattr(import_module(package), name)
        assert [one.filename for one in caught] == [__file__]
        assert value is getattr(import_module(home), name)
        assert name not in import_module(package).__all__
        room = import_module(".".join(home.split(".")[:2]))
        assert name in getattr(room, "__all__", dir(import_module(home))), f"{name} is not public in its room"


def test_a_folder_that_is_gone_says_where_its_contents_are():
    studies = r"^mtworkbench\.studies is gone: it is now mtworkbench\.analyses .* and mtworkbench\.papers "
    with pytest.raises(ImportError, match=studies):
        from mtworkbench import studies  # noqa: F401
    with pytest.raises(
        ImportError, match=r"^mtworkbench\.simulation is gone: it is now mtworkbench\.papers\.simulation$"
    ):
        mtworkbench.simulation  # noqa: B018


def test_a_name_that_has_moved_warns_where_it_is_imported():
    with pytest.warns(DeprecationWarning) as caught:
        from mtworkbench import plot_power  # noqa: F401
    assert {one.filename for one in caught} == {__file__}


def test_nothing_here_uses_a_name_that_has_moved():
    """In code, notebooks, exercises and documents; tests would see it themselves: warnings are errors there."""
    names = "|".join(MOVED["mtworkbench"])
    use = re.compile(rf"\b(?:mtw|mtworkbench)\.(?:{names})\b|from mtworkbench import [^\n]*\b(?:{names})\b")
    folders = ("mtworkbench", "notebooks", "exercises", "solutions", "docs", "scripts", "benchmarks")
    files = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".ipynb", ".md")
    ]
    assert len(files) > 300
    for path in (*files, ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        assert not use.findall(path.read_text(encoding="utf-8")), path


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="^module 'mtworkbench' has no attribute 'comparee'$"):
        _ = mtworkbench.comparee


with open(ROOT / "pyproject.toml", "rb") as file:
    DESCRIBED = tomllib.load(file)


def test_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^ *version: (.+)$", citation, re.MULTILINE) == [mtworkbench.__version__] * 2
    heading = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    date = re.search(r'^date-released: "(\d{4}-\d\d-\d\d)"$', citation, re.MULTILINE)[1]
    assert heading in ("Unreleased", f"{mtworkbench.__version__} - {date}")


def test_every_address_is_of_the_same_account():
    """`make owner` writes it in these files, where this pattern finds it."""
    account = re.fullmatch(r"https://github\.com/([\w-]+)/mtworkbench", DESCRIBED["project"]["urls"]["Source"])[1]
    pattern = re.compile(r"(?:github\.com/|uses: |//)([\w-]+)(?:/mtworkbench|\.github\.io)")
    pages = ("pyproject.toml", "SECURITY.md", "CITATION.cff", "docs/scripts.md", "README.md")
    found = {name: set(pattern.findall((ROOT / name).read_text(encoding="utf-8"))) for name in pages}
    assert found.pop("README.md") <= {account}
    assert found == dict.fromkeys(pages[:-1], {account})


def test_the_pythons_that_are_named_are_those_that_were_tried():
    prefix = "Programming Language :: Python :: 3."
    named = {line.removeprefix(prefix) for line in DESCRIBED["project"]["classifiers"] if line.startswith(prefix)}
    page = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    assert named == set(re.findall(r"^\| 3\.(\d+)\.\d+ \|", page, re.MULTILINE))
    assert min(map(int, named)) == int(DESCRIBED["project"]["requires-python"].removeprefix(">=3."))


def locked_versions() -> dict[str, list[str]]:
    versions = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE):
        versions.setdefault(name, []).append(version)
    return versions


def test_lock_has_what_the_project_asks_for():
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    asked = [*DESCRIBED["project"]["dependencies"], *DESCRIBED["build-system"]["requires"]]
    asked += [line for extra in DESCRIBED["project"]["optional-dependencies"].values() for line in extra]
    asked += DESCRIBED["dependency-groups"]["dev"]
    locked = locked_versions()
    for requirement in map(Requirement, asked):
        if requirement.name != "mtworkbench":
            versions = locked[canonicalize_name(requirement.name)]
            assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_lock_has_hashes_and_no_addresses():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[a-z0-9])", text) if not entry.startswith("#")]
    assert len(entries) > 50
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ; [^\n]+?)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n?)+", entry), (
            entry
        )
    assert "//" not in text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    hatchling = pytest.importorskip("hatchling.build", reason="needs hatchling to build a wheel")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="needs what writes the description for a package index")
    folder = tmp_path_factory.mktemp("wheel")
    with contextlib.chdir(ROOT):
        return folder / hatchling.build_wheel(str(folder))


def test_wheel_carries_what_ships_and_nothing_stray(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    inside = "mtworkbench/shipped_files/"
    wanted = {
        f"{inside}{path.relative_to(ROOT).as_posix()}"
        for folder, patterns in SHIPPED.items()
        for pattern in patterns
        for path in (ROOT / folder).glob(pattern)
        if path.is_file()
    }
    assert {
        f"{inside}{name}" for name in ("exercises/01.ipynb", "solutions/12.py", "docs/teaching/plan-90.md")
    } < wanted
    assert {name for name in names if name.startswith(inside)} == wanted
    assert {name.split("/")[0] for name in names} == {"mtworkbench", f"mtworkbench-{mtworkbench.__version__}.dist-info"}
    suffixes = (".py", ".pyi", ".js", ".css", ".bib")
    files = [path for path in PACKAGE.rglob("*") if path.suffix in suffixes]
    code = {f"mtworkbench/{path.relative_to(PACKAGE).as_posix()}" for path in files}
    code |= {"mtworkbench/py.typed"}
    assert {name for name in names if name.startswith("mtworkbench/") and not name.startswith(inside)} == code
    assert wheel.stat().st_size < 10 * 2**20


LICENSES = ("MIT", "CC-BY-SA-4.0", "MPL-2.0", "Apache-2.0")


def list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def check_terms(metadata: str, names: list[str], folder: str, texts: str) -> None:
    """See that a distribution names its licences, and carries their texts and the readable sample with its card."""
    assert f"\nLicense-Expression: {' AND '.join(LICENSES)}\n" in metadata
    files = {"LICENSE", *(f"LICENSES/{name}.txt" for name in LICENSES)}
    assert set(re.findall("^License-File: (.+)$", metadata, re.MULTILINE)) == files
    wanted = {f"{texts}{file}" for file in files}
    for name in ("flores", "wmt23-en-de"):
        wanted |= {f"{folder}data/{name}/{path.name}" for path in (ROOT / "data" / name).iterdir()}
    assert f"{folder}data/flores/README.md" in wanted and wanted <= set(names)


def test_wheel_carries_its_terms(wheel):
    archive = zipfile.ZipFile(wheel)
    information = f"mtworkbench-{mtworkbench.__version__}.dist-info/"
    metadata = archive.read(f"{information}METADATA").decode()
    check_terms(metadata, archive.namelist(), "mtworkbench/shipped_files/", f"{information}licenses/")


def test_the_description_leads_out_of_a_package_index_to_files_that_exist(wheel):
    """An index has no other file than README.md: links and pictures lead to those of this version's tag."""
    [name] = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")]
    text = zipfile.ZipFile(wheel).read(name).decode().partition("\n\n")[2]
    assert re.findall(r"\]\((?!https://|#)[^)]*|(?:src|href)=\"(?!https://)[^\"]*", text) == []
    here = re.escape(f"{DESCRIBED['project']['urls']['Source']}/")
    version = re.escape(mtworkbench.__version__)
    links = re.findall(rf"(!?)\[[^]]*\]\({here}(blob|raw)/v{version}/([^)#]+)", text)
    own = re.findall(r"(!?)\[[^]]*\]\((?!https:|#)([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert links == [(mark, "raw" if mark else "blob", path) for mark, path in own] != []
    assert [path for *_, path in links if not (ROOT / path).exists()] == []


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> tuple[list[Path], list[Path]]:
    """Built twice: of what git tracks, and of the same files with other times and rights."""
    pytest.importorskip("hatch_fancy_pypi_readme", reason="needs what builds a distribution")
    if not ((ROOT / ".git").exists() and shutil.which("git")):
        pytest.skip("needs git, and the repository")
    folder = tmp_path_factory.mktemp("distributions")
    for name in ("first", "another folder"):
        copy_tracked(folder / name)
    for path in (folder / "another folder").rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (0, 0))
    build(folder / "first", folder / "one", seconds=1_700_000_000)
    build(folder / "another folder", folder / "two", seconds=1_700_000_000)
    return sorted((folder / "one").iterdir()), sorted((folder / "two").iterdir())


@pytest.mark.long
def test_two_builds_are_equal_byte_by_byte(distributions):
    names = [f"mtworkbench-{mtworkbench.__version__}{ending}" for ending in ("-py3-none-any.whl", ".tar.gz")]
    assert [[path.name for path in built] for built in distributions] == [names, names]
    for one, other in zip(*distributions, strict=True):
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.long
def test_source_distribution_has_what_git_tracks_its_terms_and_the_same_wheel(distributions, tmp_path):
    wheel, source = distributions[0]
    folder = f"mtworkbench-{mtworkbench.__version__}"
    with tarfile.open(source) as archive:
        metadata = archive.extractfile(f"{folder}/PKG-INFO").read().decode()
        check_terms(metadata, archive.getnames(), f"{folder}/", f"{folder}/")
        tracked = {
            path.relative_to(wheel.parent.parent / "first") for path in list_files(wheel.parent.parent / "first")
        }
        assert {Path(name).relative_to(folder) for name in archive.getnames()} == tracked | {Path("PKG-INFO")}
        # Python 3.11.2, which Debian 12 has, knows no filters, and 3.12 warns where there is none.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    assert source.stat().st_size < 12 * 2**20
    [again, _] = build(tmp_path / folder, tmp_path / "again", seconds=1_700_000_000)
    assert again.read_bytes() == wheel.read_bytes()


def test_texts_of_licences_are_whole():
    begins = {"MIT": "MIT License", "CC-BY-SA-4.0": "Attribution-ShareAlike 4.0", "MPL-2.0": "Mozilla Public License"}
    ends = {"MIT": "SOFTWARE.", "CC-BY-SA-4.0": "creativecommons.org.", "MPL-2.0": "Mozilla Public License, v. 2.0."}
    begins["Apache-2.0"], ends["Apache-2.0"] = "Apache License", "limitations under the License."
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == set(LICENSES)
    for name in LICENSES:
        text = (ROOT / "LICENSES" / f"{name}.txt").read_text(encoding="utf-8").strip()
        assert text.startswith(begins[name]) and text.endswith(ends[name])
    assert (ROOT / "LICENSES" / "MIT.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.fixture(scope="module")
def installed(distributions, tmp_path_factory) -> Path:
    """An environment with the wheel alone; what it depends on is that of this environment, so nothing is fetched."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin/python"]
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "install", *options, distributions[0][0]], check=True)
    [packages] = (folder / "lib").glob("python3*/site-packages")
    (packages / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")  # the .pth files there are not read
    return folder


@pytest.mark.long
def test_a_new_user_compares_at_once(installed, tmp_path):
    version, demo, comparison = try_commands(installed, tmp_path)
    assert version == f"mtworkbench {mtworkbench.__version__}\n"
    assert "retrained is shown to be better" in demo
    assert {"comparison.png", "table.tex", "report.html"} < {path.name for path in (tmp_path / "sample").iterdir()}
    assert comparison.startswith("retrained - baseline = ")


@pytest.mark.long
def test_shipped_files_are_found_in_an_ordinary_install(installed, wheel, tmp_path):
    program = (
        "from mtworkbench import find_shipped\n"
        "from mtworkbench.notebooks import copy_shipped\n"
        "copy_shipped('mine')\n"
        f"print(*map(find_shipped, {list(SHIPPED)}), sep='\\n')"
    )
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [installed / "bin/python", "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=alone).stdout
    [inside] = installed.resolve().glob("lib/python3*/site-packages/mtworkbench/shipped_files")
    assert found.splitlines() == [str(inside / name) for name in SHIPPED]
    copied = {path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*") if path.is_file()}
    packed = [name for name in zipfile.ZipFile(wheel).namelist() if "/shipped_files/" in name]
    assert copied == {Path(name).relative_to("mtworkbench", "shipped_files") for name in packed}
