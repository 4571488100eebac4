"""``action.yml``: its script, run by bash as GitHub runs it, with inputs that only reach it as variables."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mtworkbench.shipped import find_shipped

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, COMPARE = ACTION["runs"]["steps"]
HOSTILE = "$(touch x) `touch y`; touch 'z' [1].txt"
QUICK = "--rng 1 --trials 400 --resamples 400"

pytestmark = pytest.mark.skipif(
    not (shutil.which("bash") and Path(sys.prefix, "bin/mtworkbench").exists()), reason="needs bash and the program"
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The first 100 segments of FLORES, in a folder in which there is nothing else."""
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    for name in ("reference", "bergamot-base", "bergamot-tiny"):
        lines = find_shipped(f"data/flores/{name}.txt").read_text(encoding="utf-8").split("\n")[:100]
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def act(folder, **given):
    """Run the script of the second step; return its exit status, its output, its errors and the job summary."""
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    values = {name: re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) }}", text)[1] for name, text in COMPARE["env"].items()}
    (folder / "temp").mkdir()
    (folder / "temp/mtworkbench").symlink_to(sys.prefix)  # where the first step installs it
    (folder / "script.sh").write_text(COMPARE["run"], encoding="utf-8")
    summary = folder / "summary.md"
    summary.write_text("Of a step before.\n")
    environment = {name: inputs[value] for name, value in values.items()}
    environment |= {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_STEP_SUMMARY": str(summary), "PYTHONPATH": str(ROOT)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(folder / "script.sh")]
    ended = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, encoding="utf-8")
    written = summary.read_text(encoding="utf-8")
    assert written.startswith("Of a step before.\n")
    return ended.returncode, ended.stdout, ended.stderr, written.removeprefix("Of a step before.\n")


def test_a_worse_output_fails_after_the_summary_was_written(files):
    given = {"baseline": "bergamot-base.txt", "system": "bergamot-tiny.txt"}
    status, output, errors, summary = act(
        files, reference="reference.txt", metric="bleu chrf", options=f"{QUICK} --output out.json", **given
    )
    assert status == 1
    assert errors.splitlines()[-1] == (
        "mtworkbench: --fail-if worse: on these outputs, new is shown to be worse than baseline by BLEU and by chrF."
    )
    assert output.startswith("new - baseline = -") and "Signature of BLEU: " in output
    assert summary.startswith("new - baseline = −") and re.search(r"^\| baseline +\|", summary, re.MULTILINE)
    assert "chrF" in summary
    assert Path("out.json").read_text().startswith("{")


def test_another_output_does_not_fail(files):
    given = {"baseline": "bergamot-tiny.txt", "system": "bergamot-base.txt"}
    status, _, _, summary = act(files, reference="reference.txt", options=QUICK, **given)
    assert status == 0
    assert summary.startswith("new - baseline = ")


def test_no_condition_never_fails(files):
    given = {"baseline": "bergamot-base.txt", "system": "bergamot-tiny.txt", "fail_if": ""}
    status, _, errors, _ = act(files, reference="reference.txt", options=QUICK, **given)
    assert status == 0
    assert "--fail-if" not in errors


def test_names_of_files_and_words_of_options_are_never_run(files):
    Path("bergamot-tiny.txt").rename(HOSTILE)
    Path("bergamot-base.txt").rename("a b.txt")
    Path("reference.txt").rename("-r=$HOME.txt")
    before = sorted(os.listdir())
    given = {"baseline": HOSTILE, "system": "a b.txt", "fail_if": "worse"}
    status, _, _, summary = act(files, reference="-r=$HOME.txt", options=QUICK, **given)
    assert status == 0
    assert summary.startswith("new - baseline = ")
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"options": "--unit $(touch${IFS}x)"}, "unit is '$(touch${IFS}x)', but"),
        ({"options": "--unit *"}, "unit is '*', but"),
        ({"metric": "$(touch x)"}, "$(touch"),
        ({"fail_if": "worse --output x"}, "invalid choice: 'worse --output x'"),
        ({"baseline": "$(touch x)"}, "$(touch x)"),
    ],
)
def test_a_mistake_ends_with_2_and_leaves_the_summary(files, given, sentence):
    given = {"baseline": "bergamot-base.txt", "system": "bergamot-tiny.txt"} | given
    before = sorted(os.listdir())
    status, output, errors, summary = act(files, reference="reference.txt", **given)
    assert (status, output, summary) == (2, "", "")
    assert sentence in errors.splitlines()[-1]
    assert sorted(os.listdir()) == before


def test_no_input_is_in_the_text_of_a_script():
    assert all("${{" not in step["run"] for step in (INSTALL, COMPARE))
    assert {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]} == set(COMPARE["env"].values())


def test_the_checkout_is_installed_where_the_program_is_called():
    assert 'venv "$RUNNER_TEMP/mtworkbench"' in INSTALL["run"]
    assert INSTALL["run"].rstrip().endswith('install --quiet "$GITHUB_ACTION_PATH"')


def blocks_of_the_page():
    page = (ROOT / "docs/scripts.md").read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)]


def test_the_workflow_of_the_page_gives_inputs_that_the_action_has():
    workflow = blocks_of_the_page()[0]
    [given] = [step["with"] for step in workflow["jobs"]["compare"]["steps"] if "mtworkbench@" in step["uses"]]
    assert set(given) == set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if "default" not in one} == {
        name for name, one in ACTION["inputs"].items() if one.get("required")
    }


def test_the_step_of_the_page_for_more_systems_writes_the_summary_and_fails(files):
    Path("sys").mkdir()
    Path("test").mkdir()
    Path("reference.txt").rename("test/ref.txt")
    Path("bergamot-base.txt").rename("sys/released.txt")
    Path("bergamot-tiny.txt").rename("sys/new.txt")
    [step] = blocks_of_the_page()[1]
    (files / "script.sh").write_text(step["run"], encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.prefix, "bin")), os.environ["PATH"]])
    environment = {"GITHUB_STEP_SUMMARY": "summary.md", "PYTHONPATH": str(ROOT), "PATH": path}
    ended = subprocess.run(["bash", "-e", str(files / "script.sh")], env=os.environ | environment, capture_output=True)
    assert ended.returncode == 1
    assert "| new | " in Path("summary.md").read_text(encoding="utf-8")
    assert Path("result.json").read_text(encoding="utf-8").startswith("{")
