"""Public test sets by their names, through sacreBLEU: it knows where they are, fetches them once, and keeps them."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.names import choose_among
from mtworkbench.outputs.checks.report import Report, shown
from mtworkbench.outputs.files.bytes import Path
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.text import Systems, gather_outputs, read_corpus
from mtworkbench.wording import find_nearest, listed

if TYPE_CHECKING:
    from sacrebleu.dataset.base import Dataset

Found = TypeVar("Found")
Files = Path | Sequence[Path]
# What sacreBLEU calls the source and the labels of segments, and what `read_outputs` calls them.
_LABELS = {"src": "source", "docid": "documents", "domain": "domains"}
_NO_SYSTEMS = (*_LABELS, "origlang", "genre", "ref")


@dataclass(frozen=True)
class NamedSet:
    """The files that sacreBLEU keeps of one language pair of a test set.

    Parameters
    ----------
    references : list of str
        Those that sacreBLEU scores with.
    labels : dict of str to str
        ``source``, and ``documents`` and ``domains`` where they are known.
    languages : str, optional
        The original language of each segment.
    systems : dict of str to str
        The outputs that belong to the test set, such as those of WMT's systems.
    """

    references: list[str]
    labels: dict[str, str]
    languages: str | None = None
    systems: dict[str, str] = field(default_factory=dict)

    def join(self, outputs: Mapping[str, Files], systems: Sequence[str] | None) -> dict[str, Files]:
        """Choose among a user's outputs and those of the test set, which are left out unless they are alone or named.

        Raises
        ------
        InputError
            ``unknown-system``.
        """
        of_set: dict[str, Files] = {**self.systems}
        return dict(outputs or of_set) if systems is None else choose_among(outputs, of_set, systems)


def read_test_set(
    name: str,
    language_pair: str,
    outputs: Systems | None = None,
    *,
    systems: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read a public test set by its name, with your outputs or with those that belong to it.

    sacreBLEU knows the test sets (``sacrebleu --list``), fetches a set when it is first used, and keeps it in
    ``~/.sacrebleu``, or in the folder that the environment variable ``SACREBLEU`` names.

    Parameters
    ----------
    name : str
        As in sacreBLEU: ``"wmt24"``, ``"wmt21/systems"``.
    language_pair : str
        Such as ``"en-de"``.
    outputs : mapping of str to path, list of paths, or glob; or pairs of these; or the path of a folder, optional
        Your outputs, as the ``systems`` of `read_outputs`. Without them, the outputs that belong to the test set are
        read, as WMT's test sets since 2021 have them.
    systems : list of str, optional
        Only these of all outputs: names, or patterns such as ``"online-*"``. If there are `outputs`, those of the test
        set are read only where they are named here.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, with the source and, where the test set has them, ``document``, ``domain`` and
        ``origlang``, the original language of each segment. The references are those that sacreBLEU scores with. Where
        there are no outputs at all: one row per segment, without the columns of systems.

    Raises
    ------
    InputError
        ``unknown-test-set``, ``unknown-pair``, ``unknown-system``; ``absent-test-set`` where sacreBLEU does not have
        the set and cannot fetch it; ``damaged-test-set`` where its files are not whole, such as half a download; and
        those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Notes
    -----
    sacreBLEU chooses BLEU's tokenizer by the target language: ``zh`` for Chinese, ``ja-mecab`` for Japanese,
    ``ko-mecab`` for Korean. In Python, name it yourself: ``compute_statistics(outputs, "bleu:tokenize=zh")``.

    Examples
    --------
    >>> outputs = read_test_set("wmt24", "en-de", {"base": "base.txt", "new": "new.txt"})  # doctest: +SKIP
    >>> english = outputs[outputs["origlang"] == "en"]  # doctest: +SKIP
    """
    found = find_test_set(name, language_pair)
    report = Report(accept)
    own: Mapping[str, Files] = {}
    if outputs is not None:
        own = gather_outputs(outputs, {"reference": found.references, **found.labels}, report)
    chosen = found.join(own, systems)
    if chosen:
        frame = make_frame(read_corpus(found.references, chosen, found.labels, report), report)
    else:
        frame = _lay_out_segments(found, report)
    if found.languages is not None:
        languages = read_segments(found.languages, report).texts
        frame["origlang"] = [*languages] * (len(frame) // len(languages))
    report.warn()
    return frame


def _lay_out_segments(found: NamedSet, report: Report) -> pd.DataFrame:
    """Lay out a test set without outputs, with the columns that `read_outputs` gives its segments."""
    files = {label.removesuffix("s"): path for label, path in found.labels.items()}
    for number, path in enumerate(found.references, start=1):
        files["reference" if number == 1 else f"reference_{number}"] = path
    columns = {column: list(read_segments(path, report).texts) for column, path in files.items()}
    return pd.DataFrame({"segment": range(1, 1 + len(columns["reference"]))} | columns)


def find_test_set(name: str, language_pair: str | None, announce: Callable[[str], None] | None = None) -> NamedSet:
    """Find the files of a test set; sacreBLEU fetches and unpacks them where they are not there yet.

    Parameters
    ----------
    name : str
    language_pair : str or None
        Without one, the error names those of the test set.
    announce : callable, optional
        Is told before something may be fetched.

    Raises
    ------
    InputError
        See `read_test_set`.
    """
    dataset = _find_dataset(name)
    _check_pair(dataset, language_pair)
    _check_archives(dataset)
    if announce is not None and (absent := [one.url for one in _list_archives(dataset) if not one.is_there]):
        announce(f"sacreBLEU fetches {listed(absent)}, unless it has unpacked the test set {name} already.")

    def list_files() -> tuple[dict[str, str], list[str]]:
        files = dict(zip(dataset.fieldnames(language_pair), dataset.get_files(language_pair), strict=True))
        return files, dataset.get_reference_files(language_pair)

    files, references = _ask(dataset, list_files)
    systems = {one: path for one, path in files.items() if one.partition(":")[0] not in _NO_SYSTEMS}
    if not references:
        problem = f"The test set {name!r} has no reference that sacreBLEU scores {language_pair} with."
        raise InputError("no-ref", problem)
    lines = {path: _read_lines(path) for one, path in files.items() if one not in systems}
    _check_counts(dataset, {path: len(found) for path, found in lines.items()})
    filled = {one: path for one, path in files.items() if path in lines and all(lines[path])}
    labels = {label: files[one] for one, label in _LABELS.items() if one == "src" or one in filled}
    return NamedSet(references, labels, filled.get("origlang"), systems)


def _find_dataset(name: str) -> Dataset:
    """Find what sacreBLEU knows of a test set."""
    from sacrebleu import __version__
    from sacrebleu.dataset import DATASETS

    name = str(name)
    if name in DATASETS:
        return DATASETS[name]
    near = find_nearest(name, DATASETS)
    if "," in name:
        hint = "name one; for a verdict over several, list their files in a table (--test-sets; in Python: "
        hint += "read_campaign)."
    else:
        hint = f"did you mean {near!r}? " if near else ""
        hint += "'sacrebleu --list' lists them all; for other test sets, name the file of the reference."
    problem = f"sacreBLEU {__version__} has no test set {name!r}: {hint}"
    raise InputError("unknown-test-set", problem, found=name, expected=near)


def _check_pair(dataset: Dataset, language_pair: str | None) -> None:
    """Refuse a language pair that a test set does not have."""
    known = sorted(dataset.langpairs)
    language_pair = language_pair and str(language_pair)
    if language_pair in known:
        return
    has = f"The test set {dataset.name!r} has the language pair{'s' if len(known) > 1 else ''} {', '.join(known)}"
    if language_pair is None:
        remedy = f"name one, as in -l {known[0]}"
    else:
        near = find_nearest(language_pair, known)
        remedy = f"not {language_pair}" + (f"; did you mean {near}?" if near else "")
    end = "" if remedy.endswith("?") else "."
    separator = ": " if language_pair is None else ", "
    raise InputError("unknown-pair", f"{has}{separator}{remedy}{end}", found=language_pair, expected=", ".join(known))


class _Archive(NamedTuple):
    """A file that sacreBLEU fetches for a test set: from where, to where, and its MD5 sum."""

    url: str
    path: str
    md5: str | None

    @property
    def is_there(self) -> bool:
        """Whether there is anything; sacreBLEU fetches an empty file again."""
        return os.path.isfile(self.path) and os.path.getsize(self.path) > 0

    @property
    def describe(self) -> str:
        """What to get, and where to put it."""
        checked = f" (MD5 {self.md5})" if self.md5 else ""
        return f"{self.url}{checked} as {shown(self.path)}"


def _list_archives(dataset: Dataset) -> list[_Archive]:
    urls = dataset.data or []
    paths = [os.path.join(dataset._rawdir, dataset._get_tarball_filename(url)) for url in urls]
    return list(map(_Archive, urls, paths, dataset.md5 or repeat(None)))


def _check_archives(dataset: Dataset) -> None:
    """Refuse a file that is not what sacreBLEU expects: it checks what it fetches, but not what it finds."""
    from sacrebleu.utils import get_md5sum

    for one in _list_archives(dataset):
        if one.is_there and one.md5 and (found := get_md5sum(one.path)) != one.md5:
            problem = f"{shown(one.path)} is not the file that sacreBLEU expects for the test set {dataset.name!r}"
            remedy = f"delete it and try again, or put {one.url} in its place"
            message = f"{problem} (its MD5 sum is {found}, not {one.md5}), perhaps only a part of it: {remedy}."
            raise InputError("damaged-test-set", message, path=one.path, found=found, expected=one.md5)


def _ask(dataset: Dataset, list_files: Callable[[], Found]) -> Found:
    """Ask sacreBLEU for files; what it raises becomes a sentence."""
    try:
        with _silent():
            try:
                return list_files()
            except FileNotFoundError:  # it unpacks what it fetches, but not what a user has put there
                _unpack(dataset)
                return list_files()
    except (Exception, SystemExit) as error:
        absent = [one.describe for one in _list_archives(dataset) if not one.is_there]
        if absent:
            problem = f"sacreBLEU does not have the test set {dataset.name!r}, and cannot fetch it ({_describe(error)})"
            message = f"{problem}: save {listed(absent)}, and try again."
            raise InputError("absent-test-set", message, path=dataset._outdir) from error
        _check_archives(dataset)
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        problem = f"sacreBLEU cannot unpack the test set {dataset.name!r} ({reason})"
        message = f"{problem}: delete the folder {shown(dataset._outdir)} and try again."
        raise InputError("damaged-test-set", message, path=dataset._outdir) from error


def _describe(error: BaseException) -> str:
    """Say what went wrong, without what urllib and Python put around it."""
    if isinstance(error, SystemExit):
        return "the server's certificate is not accepted"
    cause = getattr(error, "reason", error)
    said = getattr(cause, "strerror", None) or " ".join(str(cause).split())
    return said or type(error).__name__


def _unpack(dataset: Dataset) -> None:
    from sacrebleu.utils import extract_tarball

    for one in _list_archives(dataset):
        extract_tarball(one.path, dataset._rawdir)


@contextmanager
def _silent() -> Iterator[None]:
    """Keep sacreBLEU's own messages from the terminal, and what Python 3.12 and 3.13 say of how it unpacks archives."""
    logger = logging.getLogger("sacrebleu")
    before, logger.disabled = logger.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        logger.disabled = before


def _read_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.strip() for line in file]


def _check_counts(dataset: Dataset, counts: Mapping[str, int]) -> None:
    """Refuse files of which some are longer than others: sacreBLEU was interrupted while it wrote them."""
    longest = max(counts, key=lambda path: counts[path])
    for path, count in counts.items():
        if count < counts[longest]:
            problem = f"{shown(path)} has {count:,} lines, but {shown(longest)} has {counts[longest]:,}"
            remedy = f"sacreBLEU was perhaps interrupted; delete the folder {shown(dataset._outdir)} and try again"
            raise InputError("damaged-test-set", f"{problem}: {remedy}.", path=path)
