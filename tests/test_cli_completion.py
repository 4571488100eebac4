"""``mtworkbench completion``: what a shell completes, asked of shells that are there."""

import shutil
import subprocess
import sys

import pytest

from mtworkbench import cli

BASH = """
source ./script
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_shtab_mtworkbench
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source ./script; complete -C (string join ' ' -- $argv)"


def script_of(shell, capsys, folder):
    pytest.importorskip("shtab", reason="needs the extra completion")
    assert cli.main(["completion", shell]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    (folder / "script").write_text(output, encoding="utf-8")
    return output


@pytest.fixture
def complete(tmp_path, capsys, request):
    """Return what completes a command line, given as words of which the last is begun."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script_of(shell, capsys, tmp_path)
    for name in ("ref.txt", "base.txt", "new.txt"):
        (tmp_path / name).touch()
    program = {"bash": ["bash", "--norc", "-c", BASH, "bash"], "fish": ["fish", "--no-config", "-c", FISH]}[shell]

    def ask(*words):
        found = subprocess.run(
            [*program, "mtworkbench", *words], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return {line.split("\t")[0] for line in found.stdout.splitlines()}

    return ask


@pytest.mark.parametrize("complete", ["bash", "fish"], indirect=True)
def test_commands_options_choices_files_and_metrics_are_completed(complete):
    assert complete("co") == {"compare", "completion"}
    assert complete("seg") == {"segments"}
    assert complete("segments", "--format", "") == {"text", "json", "latex", "markdown", "tsv"}
    assert complete("study", "ca") == {"calibration", "campaign"}
    assert complete("compare", "--fail") == {"--fail-if"}
    assert complete("compare", "--fail-if", "") == {"worse", "not-better", "not-equal"}
    assert complete("compare", "r") == {"ref.txt"}
    assert complete("compare", "ref.txt", "ba") == {"base.txt"}
    assert complete("compare", "ref.txt", "base.txt", "n") == {"new.txt"}
    assert complete("compare", "ref.txt", "base.txt", "-m", "") == {
        *("bleu", "chrf", "ter", "nist", "gtm", "meteor", "length"),
    }
    assert complete("compare", "--accept", "hyp-is-r") == {"hyp-is-ref"}
    assert complete("compare", "--test-sets", "ne") == {"new.txt"}


def test_zsh_completes_any_number_of_files(tmp_path, capsys):
    script = script_of("zsh", capsys, tmp_path)
    assert script.startswith("#compdef mtworkbench")
    files = [line for line in script.splitlines() if line.lstrip().startswith('"*:the reference, then the outputs')]
    assert files and all(line.endswith(':_files"') for line in files)
    assert '"(*)::' not in script
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n", "script"], cwd=tmp_path, check=True)


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert capsys.readouterr() == (
        "",
        "mtworkbench: error: The script is made by the package shtab, which is not installed: install it with pip "
        "install 'mtworkbench[completion]'.\n",
    )
