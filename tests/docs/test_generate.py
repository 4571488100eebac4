"""What the documentation takes from the package: complete, and what the package really writes and says."""

import json
import re
from pathlib import Path

import pytest

import mtworkbench
from mtworkbench import cli
from mtworkbench.cli.program import make_parser
from mtworkbench.outputs.checks.report import ACCEPTABLE, DOUBTS
from mtworkbench.words.assumptions import find_assumptions

from ..layouts.shell import as_shell
from .folder import make_folder

ROOT = Path(__file__).parents[2]
for needed in ("numpydoc", "PIL"):
    pytest.importorskip(needed, reason="needs what the documentation is built with")

import generate  # noqa: E402
from generate import command_line, gallery, json_keys, messages, public_names  # noqa: E402

ROOMS = [
    mark[1]
    for page in sorted((ROOT / "docs/reference/api").glob("*.md"))
    for mark in re.finditer("<!-- generated: public_names ([a-z0-9_.]+) -->", page.read_text(encoding="utf-8"))
]
QUICK = "--rng 1 --trials 200 --resamples 50"
WRITES_JSON = [
    "compare ref.txt hyps.* --documents docs.txt --margin 1 --runs pooled " + QUICK,
    "compare ref.txt sys/* -m bleu ter --repair double-spaces " + QUICK,
    "compare --test-sets campaign.tsv --baseline base " + QUICK,
    "compare ref.txt base.txt new.txt --conventions --resamples 50 --trials 200 --rng 1",
    "calibrate ref.txt base.txt new.txt --repetitions 20 --rng 1",
    "variance ref.txt hyps.* --resamples 50 --rng 1",
    "plan ref.txt base.txt new.txt --difference 2",
    "plan ref.txt base.txt new.txt --margin 5",
    "segments ref.txt base.txt new.txt --first 2 --rng 1",
    "check ref.txt base.txt new.txt --source src.txt",
]


def keys_of(value, inside=()):
    """Return all keys of an object, except those of names that the user gives."""
    if isinstance(value, list):
        return {key for one in value for key in keys_of(one)}
    if not isinstance(value, dict):
        return set()
    found = set()
    for key, one in value.items():
        named = key in ("metrics", "scores", "signatures") and isinstance(one, dict)
        inner = one.values() if named else [one]
        found |= {key} | {deep for each in inner for deep in keys_of(each)}
    return found


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("line", WRITES_JSON)
def test_every_key_that_a_command_writes_is_on_the_page(line, tmp_path, monkeypatch, capsys):
    make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main([*as_shell(line), "--format", "json"]) == 0
    written = keys_of(json.loads(capsys.readouterr().out))
    described = {key for section in json_keys.list_sections() for key in section.keys}
    assert len(written) > 5
    assert written - described - {"sentence", "documents", "runs"} == set()


def test_every_key_has_a_type_and_a_meaning():
    for section in json_keys.list_sections():
        for key, (kind, meaning) in json_keys.describe_keys(section).items():
            assert kind and meaning, f"{section.heading}: {key}"
            assert "None" not in f"{kind} {meaning}", f"{section.heading}: {key}"


def test_a_meaning_is_that_of_the_part_that_has_the_field():
    sections = {section.heading: json_keys.describe_keys(section) for section in json_keys.list_sections()}
    assert sections["Its comparisons"]["confidence"][1].startswith("Share of resamples that a wins")
    assert sections["Their comparisons"]["new_sets_df"] != sections["Their comparisons"]["method_df"]
    assert sections["Ranking"]["rank"] == ("integer", "1 + the number of systems with a better score.")


def test_every_option_of_every_command_is_on_the_page():
    written = command_line.write()
    _, commands = make_parser()
    for name, command in commands.items():
        section = written.split(f"\n## mtworkbench {name}\n")[1].split("\n## ")[0]
        for action in (action for one in (command, *command.inner.values()) for action in one._actions):
            for option in action.option_strings:
                if action.help != "==SUPPRESS==":
                    assert option in section, f"{name} {option}"


def test_the_page_of_commands_does_not_depend_on_the_terminal(monkeypatch):
    found = []
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        found.append(command_line.write())
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def all_messages():
    return messages.find_messages()


def test_every_code_that_a_docstring_promises_is_on_the_page(all_messages, monkeypatch):
    monkeypatch.setattr(messages, "find_messages", all_messages.copy)
    page = messages.write()
    errors, _, rest = page.partition("## Warnings")
    of_doubts = page.split("## Doubts")[1].split("## ")[0]
    assert [code for code in ACCEPTABLE if f"| `{code}` |" not in page] == []
    assert [code for code in DOUBTS if not re.search(rf"^\| `{code}` \| [^ |]", of_doubts, re.MULTILINE)] == []
    for code in ("count-mismatch", "unknown-baseline", "surrogate"):
        assert re.search(rf"^\| `{code}` \| [^ |]", errors, re.MULTILINE), code
    found = find_assumptions.__doc__.split("The codes about texts:")[1]
    for code in re.findall("``([a-z-]+)``", found):
        assert f"| `{code}` |" in rest.split("## Assumptions")[1], code


def test_a_sentence_shows_where_the_data_comes_in(all_messages):
    found = {(one.kind, one.code): one.parts for one in all_messages if one.parts}
    assert found["error", "accept-conflict"][0].startswith("Quotation marks around the fields of a table are either")
    assert found["error", "unknown-accept"] == ("… is not a fault that can be accepted: the known ones are ….",)
    assert found["doubt", "same-ends"][1:] == (
        "Added text is scored as words.",
        "Remove what is not part of the translation.",
    )


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_described_in_one_place(room):
    page = public_names.write(room)
    for name in public_names.list_names(room):
        home = public_names.find_home(room, name)
        places = [
            one for one in {*ROOMS} if re.search(rf":: {re.escape(home)}$", public_names.write(one), re.MULTILINE)
        ]
        assert len(places) == 1, f"{home}: {places}"
        assert f"`{name} <{home}>`" in page


def test_the_front_and_all_rooms_have_a_page():
    assert set(public_names.list_names("mtworkbench")) == set(mtworkbench.__all__) - {"__version__"}
    listed = {name for room in ROOMS for name in public_names.list_names(room)}
    assert {"compare", "Comparison", "SegmentStatistics", "Verification", "intervals_by_unit"} <= listed


def test_each_notebook_has_a_card_with_a_figure():
    cards = gallery.write("notebooks").split("\n- ")[1:]
    assert len(cards) == len([*(ROOT / "notebooks").glob("*.ipynb")])
    assert sum("](data:image/png;base64," in card for card in cards) > 10
    assert "(/exercises/01.ipynb)" in gallery.write("exercises")


def test_every_page_is_in_the_navigation():
    listed = {"docs/index.md"}
    for name, below in generate.NAVIGATION.items():
        folder = (ROOT / name).parent
        for one in below.split():
            pattern = re.sub(".*<|>", "", one)
            suffix = "ipynb" if pattern.startswith(("../notebooks", "../exercises")) else "md"
            up = pattern.count("../")
            base = folder.parents[up - 1] if up else folder
            listed |= {
                path.relative_to(ROOT).as_posix() for path in base.glob(f"{pattern.replace('../', '')}.{suffix}")
            }
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - listed == set()


def test_a_mark_is_filled_and_links_have_the_form_of_the_site():
    assert "## mtworkbench compare\n" in generate.fill_page("# A\n\n<!-- generated: command_line -->\n")
    link = "[a](../notebooks/02_x.ipynb#What-it-shows:-twice) [b](c.md#What-Else)"
    assert generate.link_headings(link) == "[a](../notebooks/02_x.ipynb#what-it-shows-twice) [b](c.md#What-Else)"
