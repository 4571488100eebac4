"""What the files of a folder are taken for before anybody has said so."""

import gzip

from mtworkbench.outputs.roles import count_lines, propose_roles

TEXT = "ein Satz\n" * 5


def propose(folder, contents, references=()):
    """Write files, and return the roles that are proposed for them, by their names."""
    for name, content in contents.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    files = [str(folder / name) for name in contents]
    known = [str(folder / name) for name in references]
    return {path.split("/")[-1]: role for path, role in propose_roles(files, count_lines(files), known).items()}


def test_of_several_references_the_one_with_most_outputs_is_meant(tmp_path):
    files = {"dev.ref": TEXT * 2, "dev.a": TEXT * 2, "test.ref": TEXT, "test.a": TEXT, "test.b": TEXT}
    assert propose(tmp_path, files) == {"test.ref": "reference", "test.a": "output", "test.b": "output"}


def test_references_of_equal_length_are_taken_together(tmp_path):
    found = propose(tmp_path, {"ref1.txt": TEXT, "ref2.txt": TEXT, "a.txt": TEXT})
    assert found == {"ref1.txt": "reference", "ref2.txt": "reference", "a.txt": "output"}


def test_a_reference_that_was_chosen_tells_the_outputs(tmp_path):
    files = {"gold": TEXT, "a": TEXT, "b": TEXT, "c": TEXT + TEXT, "ref": TEXT}
    assert propose(tmp_path, files, ["gold"]) == {"a": "output", "b": "output"}
    assert propose(tmp_path, {"gold": TEXT, "a": TEXT}) == {}


def test_scores_are_known_by_their_content(tmp_path):
    scores = {"a.scores": "0.5\n" * 5, "comet.json": '{"a.txt": [{"src": "x", "mt": "y", "COMET": 0.5}]}'}
    found = propose(tmp_path, {"ref.txt": TEXT, "a.txt": TEXT, **scores})
    assert found == {"ref.txt": "reference", "a.txt": "output", "a.scores": "scores", "comet.json": "scores"}


def test_what_has_no_outputs_is_a_folder_of_references(tmp_path):
    assert propose(tmp_path, {"ref.txt": TEXT, "documents.txt": "d\n" * 5}) == {"ref.txt": "reference"}


def test_files_that_are_damaged_or_empty_or_no_texts_have_no_role(tmp_path):
    broken = gzip.compress(TEXT.encode())[:-9]
    files = {"ref.txt": TEXT, "a.txt": TEXT, "b.gz": broken, "c.gz": gzip.compress(TEXT.encode()), "d": "", "e": b"\0"}
    assert propose(tmp_path, files) == {"ref.txt": "reference", "a.txt": "output", "c.gz": "output"}
    counts = count_lines([str(tmp_path / name) for name in files])
    assert list(counts.values()) == [5, 5, None, 5, 0, None]


def test_rather_than_some_of_the_outputs_none_is_proposed(tmp_path):
    propose(tmp_path, {"ref.txt": TEXT, "a.txt": TEXT, "b.txt": TEXT})
    files = [str(tmp_path / name) for name in ("ref.txt", "a.txt", "b.txt")]
    counts = count_lines(files, most_bytes=100)
    assert list(counts) == files[:2]
    assert propose_roles(files, counts) == {}
