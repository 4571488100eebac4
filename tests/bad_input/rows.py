"""All rows of the table of bad input, B01 to B75, with their cases."""

from __future__ import annotations

from .cases import Case
from .markup_rows import CASES as MARKUP
from .table_rows import CASES as TABLES
from .text_rows import CASES as TEXTS

CASES: tuple[Case, ...] = (*TEXTS, *MARKUP, *TABLES)
ROWS: dict[str, list[Case]] = {
    row: [case for case in CASES if case.row == row] for row in sorted({case.row for case in CASES})
}

#: Rows whose outcome is another one than the first specification asks for, and why.
DIFFERENT = {
    "B39": "An archive of many members is refused as several files (`archive`), not as unsafe: it is never unpacked, "
    "so their number does no harm.",
    "B40": "Duplicate names in a zip archive are refused as several files (`archive`), not as unsafe: which of them is "
    "the text cannot be known, but nothing is written in any case.",
    "B62": "An extra column is kept, not refused: it may hold scores or notes.",
    "B63": "A column with more `n/a` than numbers is read as text with a warning (`numbers-as-text`), not refused: it "
    "may be a column of texts.",
    "B65": "A byte-order mark at the start of JSON lines is left out with a warning (`bom`), not refused, as in every "
    "other format.",
    "B66": "In a `.seg.score` file, a system whose name has a blank in it is read, not refused, because the columns "
    "are separated by tabs. A system without scores gets a warning (`unrated-system`): folders of WMT have such "
    "systems.",
    "B69": "Sources that differ where the ids are the same are refused, not warned about: the scores would be of "
    "different segments.",
    "B70": "The code of the warning is `unknown-direction`, which says more than `direction`.",
    "B71": "A CSV file in Windows-1252 is refused with the text as it would read and the command that converts it, "
    "because the encoding can only be guessed; separators are detected with a warning.",
    "B72": "Systems whose names differ only in case or normal form are not written (`duplicate-file`), because some "
    "file systems treat the two names as one file.",
}

#: Rows that the first specification does not have.
ADDED = ("B73", "B74", "B75")

#: What the first specification asks for and no case tries.
NOT_TRIED = {
    "B38": "10 GB of zeros; 300 MB are tried, which exceed the same limit.",
    "B39": "10^6 members; 2,000 are tried.",
    "B56": "the time and memory of the refusal.",
}
