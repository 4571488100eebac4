r"""Documents and columns as LaTeX: tables that fit one column of a two-column paper; data is escaped.

A document that has these tables needs ``\usepackage{booktabs}`` and nothing else, unless names or texts have letters
that pdfLaTeX has no fonts for, such as Chinese ones. These are written as they are: XeLaTeX and LuaLaTeX set them with
a font that has them, pdfLaTeX with a package that sets them up; without one it stops at the first and names it, as it
does at such letters anywhere in a paper. Stand-ins would let a paper be printed without them. Widths are estimated from
Computer Modern, the widest of the usual fonts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from mtworkbench.characters import printable
from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE
from mtworkbench.tables.fitting import fit_headings
from mtworkbench.words.citations import find_sources, split_at_citations, write_entries
from mtworkbench.words.document import Document, Passage, Passages
from mtworkbench.words.frames import WIDTH, Bold, Cell, Columns, columns_of, fill, is_figures, with_minus

#: Lines of segments that a page of a paper holds, with the caption below them.
MOST_LINES = 50
# What the marks mean, by whether outputs are compared with references, too.
LEGENDS = {
    True: "Bold: in the reference, not in the other output; underlined: neither in the reference nor in the other "
    "output; italics: in both outputs but not in the reference, or in the reference alone.",
    False: "Bold: not in the other output.",
}
# By the bits of the mark, as the page has it in other ways.
_OF_OUTPUTS = {NOT_IN_OTHER: r"\textbf", NOT_IN_REFERENCE: r"\textit", NOT_IN_OTHER | NOT_IN_REFERENCE: r"\underline"}
_OF_REFERENCES = {NOT_IN_REFERENCE | NOT_IN_OTHER: r"\textit"}
# A word, or a letter of a script that has no spaces.
_WORD = re.compile("[\u2e80-\U0010ffff]|[^\\s\u2e80-\U0010ffff]+")
# Widths are in em of \footnotesize in a paper of 11 points, such as the ACL's: its column is 3.03 inches wide.
COLUMN_WIDTH, PAGE_WIDTH = 23.4, 48.8
_GAP = 0.68
# Of texts, the columns as shares of the width of a page.
_LABEL, _TEXT = 0.17 * PAGE_WIDTH, 0.81 * PAGE_WIDTH
_BEGIN = (
    r"\begin{table*}",
    r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
    r"\begin{tabular}{@{}p{0.17\textwidth}p{0.81\textwidth}@{}}",
    r"\toprule",
)
# Text is broken where its column would be wider, but not into lines shorter than this.
_NARROWEST = 5.0

_ESCAPES = str.maketrans(
    {character: "\\" + character for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}\allowbreak{}"}
    | {"[": "{[}", "]": "{]}", "*": "{*}", '"': r"\char34{}"}  # "[" and "*" have a meaning at the start of a row
    | {"≈": r"$\approx$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "∞": r"$\infty$", "−": "$-$"}
    | {"…": r"\ldots{}", "†": r"\textdagger{}", "‡": r"\textdaggerdbl{}"}
    | {"\u202f": r"\,", "\u2009": r"\,", "\u200b": r"\hspace{0pt}"}
)
# What TeX's fonts join: dashes, quotation marks, inverted marks.
_JOINED = re.compile("(?<=[-`',!?])(?=[-`',])")
# Spaces of sentences at which no line ends.
_TIED = re.compile(r"(?<=\d) (?=\\%)|(?<==) (?=[\d$])|(?<=\\textless\{\}) (?=[\d$])")
# Letters that pdfLaTeX has no fonts for in its usual encodings, and those for which it needs T1 instead of OT1.
_WITHOUT_FONT = re.compile("[^\0-\u017eȘ-țẞ‐‑–—―‖‘-„†‡•…‰‹›※€№™←-↓]|[ĦħĸĿŀŉŦŧ]")
_T1_ALONE = re.compile("[ÐÞðþ«»ĄąĘęĮįŲųĐđŊŋ‚„‹›]")
_WIDTHS = {
    character: width
    for characters, width in (
        ("il.,:;|!'`[]", 0.28), ("jf- _", 0.36), ("Irst()", 0.4), ("cez", 0.45), ("ago0123456789/$*{}^~\"\\", 0.51),
        ("kqvxy", 0.53), ("bdhnpuJS?", 0.56), ("ELPFZ", 0.69), ("w", 0.73), ("<>=+@&", 0.78), ("m%#", 0.84),
        ("M", 0.92), ("W", 1.03),
    )
    for character in characters
}  # fmt: skip
_CAPITAL, _BOLD = 0.79, 1.16
# How the marks of a table are written as superscripts.
_MARKS = {"†": r"\dagger", "‡": r"\ddagger", "≈": r"\approx"}
# This mark is wider than the gap between two columns, which then has more room: in points, and so many em more.
_WIDE_MARK, _MARKS_GAP, _MARKS_ROOM = "≈", 9, 0.34


def frame_to_latex(frame: pd.DataFrame, caption: str = "", label: str = "", *, digits: int = 2) -> str:
    """Write a frame as a LaTeX table (package booktabs); floating-point numbers are rounded to ``digits`` decimals."""
    return columns_to_latex(columns_of(frame, digits), caption, label)


def columns_to_latex(
    columns: Columns,
    caption: str = "",
    label: str = "",
    *,
    marks: Mapping[tuple[int, str], str] | None = None,
    headings: Mapping[int, str] | None = None,
) -> str:
    """Write columns as a table float with the rules of booktabs.

    A name that is too wide for the first column has a line of its own, above the rest of its row; other text is broken
    into lines. Where that is not enough for one column of a paper, the table is a ``table*``, which spans both.

    Parameters
    ----------
    columns : dict of str to list of str
    caption, label : str
        The caption is escaped.
    marks : dict of (int, str) to str
        What stands raised after a cell: one mark or two.
    headings : dict of int to str
        What stands in a line of its own above a row.

    Returns
    -------
    str
        Ends with a line break.
    """
    marked = {name for (_, name), mark in (marks or {}).items() if _WIDE_MARK in mark}
    layout = _fit(columns, _names_with_bold(columns), _MARKS_ROOM * len(marked))
    kinds = [
        ("r" if is_figures(cells) else "l") + (rf"@{{\hspace{{{_MARKS_GAP}pt}}}}" if name in marked else "")
        for name, cells in columns.items()
    ]
    lines = [
        rf"\begin{{{layout.environment}}}",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}",
        r"\toprule",
        " & ".join(_head(name, cells, layout) for name, cells in columns.items()) + r" \\",
        r"\midrule",
    ]
    for row in range(len(next(iter(columns.values()), ()))):
        if headings and row in headings:
            lines += [r"\addlinespace"] if row else []
            lines += [_across(headings[row], columns, layout, r"\itshape ")]
        cells = {name: cells[row] for name, cells in columns.items()}
        first = next(iter(cells))
        if not isinstance(cells[first], Cell) and _width(cells[first]) > layout.room:
            lines += [_across(cells[first], columns, layout)]
            cells[first] = Cell()
        shown = (_latex_cell(cell, layout.room, (marks or {}).get((row, name), "")) for name, cell in cells.items())
        lines += [" & ".join(shown) + r" \\"]
    lines += [r"\bottomrule", r"\end{tabular}", *end_float(caption, label, layout.environment)]
    return "\n".join(lines) + "\n"


def end_float(caption: str, label: str, environment: str) -> list[str]:
    """End a float below its table; the caption is escaped."""
    lines = [rf"\caption{{{sentence_to_latex(caption)}}}"] if caption else []
    lines += [rf"\label{{{re.sub('[^A-Za-z0-9:+.-]+', '-', label).strip('-')}}}"] if label else []
    return [*lines, rf"\end{{{environment}}}"]


def _names_with_bold(columns: Columns) -> set[str]:
    return {name for name, cells in columns.items() if any(isinstance(cell, Bold) for cell in cells)}


def document_to_latex(document: Document, width: int) -> str:
    """Write the tables of a document, below what it says besides, as comments.

    A table that would be wider than so many characters counts instead. Notes of sections are left out: they say what
    captions do.
    """
    tables = []
    for section in document.sections:
        tables += passages_to_latex(section.texts) if section.texts is not None else []
        chosen = [fit_headings(table, width) for table in section.tables]
        tables += [
            columns_to_latex(dict(one.columns), one.caption, one.label, marks=one.marks, headings=one.headings)
            for one in chosen
        ]
    said = [*document.headline, *document.notes, *document.explanation, *document.listed, *document.signatures]
    return "\n".join([comment([*said, *preamble("".join(tables))]) + _write_paragraph(document.paragraph), *tables])


def _write_paragraph(paragraph: str) -> str:
    """Write the paragraph for the text as comments, and below it the entries of the sources that it cites."""
    if not paragraph:
        return ""
    entries = "".join(f"% {line}".rstrip() + "\n" for line in write_entries(find_sources(paragraph)).splitlines())
    return (
        f"% For the text (needs \\usepackage{{natbib}}):\n{fill(f'% {_cite_by_key(paragraph)}', WIDTH, indent='% ')}\n"
        f"% For the bibliography (BibTeX):\n{entries}"
    )


def _cite_by_key(text: str) -> str:
    """Escape sentences, and cite their sources by key: a line does not end before a citation."""
    keys = {source.cited_as: source.key for source in find_sources(text)}
    parts = split_at_citations(text)
    parts[::2] = map(sentence_to_latex, parts[::2])
    parts[1::2] = [rf"~\citep{{{','.join(keys[name] for name in names.split('; '))}}}" for names in parts[1::2]]
    return "".join(parts)


def passages_to_latex(texts: Passages) -> list[str]:
    """Write segments with their texts below each other, with marks, as tables that span the page.

    Segments that would fill more than one table go into several.
    """
    parts, filled = [[*_BEGIN]], 0.0
    for passage in texts.passages:
        rows, n_lines = _passage_to_latex(passage)
        if filled and filled + n_lines > MOST_LINES:
            parts.append([*_BEGIN])
            filled = 0.0
        parts[-1] += rows
        filled += n_lines
    for part, rows in enumerate(parts, start=1):
        number, label = (f" ({part} of {len(parts)})", f"{texts.label}-{part}") if len(parts) > 1 else ("", texts.label)
        said = f"{texts.caption}{number}.{'' if part > 1 else f' {LEGENDS[texts.have_references]}'}"
        rows += [r"\bottomrule", r"\end{tabular}", *end_float(said, label, "table*"), ""]
    return ["\n".join(rows) for rows in parts]


def _passage_to_latex(passage: Passage) -> tuple[list[str], float]:
    """Write a segment as rows of a table; return them and how many lines they take."""
    heading = sentence_to_latex(passage.heading)
    rows, n_lines = [rf"\addlinespace\multicolumn{{2}}{{@{{}}l@{{}}}}{{\itshape {heading}}} \\"], 1.5
    for text in passage.texts:
        marks = _OF_REFERENCES if text.kind == "reference" else _OF_OUTPUTS
        shown = "".join(_mark(piece, marks.get(code, "")) for piece, code in text.pieces)
        rows.append(rf"{break_text(text.label, _LABEL)} & {shown or '(empty)'} \\")
        n_lines += max(count_lines(text.label, _LABEL), count_lines(text.text, _TEXT))
    return rows, n_lines


def _mark(piece: str, command: str) -> str:
    """Write a piece of a text with its mark; words are underlined one by one, so that lines can end between them."""
    if command == r"\underline":
        return _WORD.sub(lambda word: rf"\underline{{{escape_latex(word[0])}}}", piece)
    return rf"{command}{{{escape_latex(piece)}}}" if command else escape_latex(piece)


def sentence_to_latex(text: str) -> str:
    """Escape a sentence, with the signs that LaTeX has: minus, quotation marks, the number of exchanges as a power.

    Lines may end within long names, but not before a percent sign or between an equals sign and its number.
    """

    def write(word: re.Match[str]) -> str:
        return r"\allowbreak{}".join(map(escape_latex, _lines_of(word[0], COLUMN_WIDTH / 2)))

    curled = re.sub(r'(^|[\s(\[])"', r"\1“", with_minus(text)).replace('"', "”")
    written = re.sub(r"\S+", write, curled).replace("“", "``").replace("”", "''").replace(" - ", " $-$ ")
    written = re.sub(r"\b2\\textasciicircum\{\}(\d+)(?= exchanges)", r"$2^{\1}$", written)
    return _TIED.sub("~", written)


def comment(sentences: Iterable[str]) -> str:
    """Write sentences as comments, one below the other."""
    return "".join(f"% {printable(sentence)}\n" for sentence in sentences)


def preamble(text: str) -> list[str]:
    r"""Say what the preamble of a document needs that has this LaTeX.

    Parameters
    ----------
    text : str
        The table as it was written.

    Returns
    -------
    list of str
        A line with the packages, and a sentence where there are letters that pdfLaTeX has no fonts for.
    """
    lines = [r"Needs \usepackage{booktabs}."]
    if found := _WITHOUT_FONT.search(text):
        lines.append(
            f"pdfLaTeX stops at letters that it has no fonts for, such as {found[0]}: use XeLaTeX or LuaLaTeX, and a "
            r"font that has them. For Chinese and Japanese: XeLaTeX, "
            r"\usepackage{xeCJK}\setCJKmainfont{Noto Serif CJK SC} (or JP)."
        )
    return lines


def escape_latex(text: str) -> str:
    """Escape what means something to LaTeX; long signatures may break after a bar."""
    text = printable(unicodedata.normalize("NFC", text))
    escaped = _JOINED.sub("{}", text.translate(_ESCAPES))
    # Engines with Unicode's fonts know the command, and need no other encoding.
    return _T1_ALONE.sub(r"{\\ifdefined\\Umathchar\\else\\fontencoding{T1}\\selectfont\\fi \g<0>}", escaped)


def _across(text: str, columns: Columns, layout: _Layout, font: str = "") -> str:
    """Write a text in a line of its own."""
    written = break_text(text, COLUMN_WIDTH if layout.environment == "table" else PAGE_WIDTH)
    return rf"\multicolumn{{{len(columns)}}}{{@{{}}l@{{}}}}{{{font}{written}}} \\"


def _latex_cell(cell: str, room: float, mark: str) -> str:
    """Write a cell: data escaped and, where it is too wide, broken; in a figure the minus set as mathematics."""
    written = _figure(cell) if isinstance(cell, Cell) else break_text(cell, room)
    if isinstance(cell, Bold):
        written = rf"\textbf{{{written}}}"
    raised = "".join(_MARKS.get(one, one) for one in mark)
    return written + (rf"\rlap{{$^{{{raised}}}$}}" if mark else "")


def _figure(cell: str) -> str:
    cell = cell.replace("%", r"\%").replace("<", "$<$")
    return with_minus(re.sub(r"(?<=\d)-(?=\d)", "--", cell)).replace("−", "$-$")


def break_text(text: str, room: float, side: str = "l", place: str = "t") -> str:
    """Escape a text, in lines below each other where it is wider than the room for it."""
    lines = [escape_latex(line) for line in _lines_of(text, room)]
    if len(lines) == 1:
        return lines[0]
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}"


def count_lines(text: str, room: float) -> int:
    """Estimate how many lines a text takes in a column of a width, in em."""
    return len(_lines_of(text, room))


def _lines_of(text: str, room: float) -> list[str]:
    """Break a text at spaces; a word that is too wide after punctuation or, where there is none, anywhere."""
    lines = [""]
    for word in re.findall(r"\S+\s*", unicodedata.normalize("NFC", printable(text))):
        whole = _width(word.rstrip()) <= room
        for piece in [word] if whole else re.findall(r"[^\W_]+[\W_]*|[\W_]+", word):
            if lines[-1] and _width(lines[-1] + piece.rstrip()) > room:
                lines.append("")
            while _width(piece.rstrip()) > room and len(piece) > 1:
                fits = next(n for n in range(len(piece) - 1, 0, -1) if n == 1 or _width(piece[:n]) <= room)
                lines[-1], piece = piece[:fits], piece[fits:]
                lines.append("")
            lines[-1] += piece
    return [line.strip() for line in lines if line.strip()] or [""]


def _width(text: str) -> float:
    """Estimate the width of a text, in em; Chinese letters are one em wide."""
    wide = {one: 1.0 for one in set(text) if unicodedata.east_asian_width(one) in "WF"}
    return sum(_WIDTHS.get(one, wide.get(one, _CAPITAL)) for one in text)


def _width_of_figure(cell: str) -> float:
    """Estimate the width of a figure, in em: a minus is as wide as a plus, and a dash as a digit."""
    written = _figure(cell).replace("$-$", "+").replace("$<$", "<").replace("--", "0").replace(r"\%", "%")
    return _width(written)


def _room_for_text(columns: Columns, wide: Collection[str], width: float, *, whole_heads: bool) -> float | None:
    """Return how wide a column of text may be in a table of a width; None where there is too little room."""
    figures, texts, least = [], [], 0.0
    for place, (name, cells) in enumerate(columns.items()):
        head = name if whole_heads else max(name.split(" "), key=_width)
        if is_figures(cells):
            figures.append(
                max(_width(head), *(_width_of_figure(cell) * (_BOLD if name in wide else 1) for cell in ("", *cells)))
            )
        else:
            texts.append(max(_width(text) for text in (head, *cells)))
            # What is too wide for the first column has a line of its own.
            least = max(least, _width(head) if place == 0 else min(_NARROWEST, texts[-1]))
    room = left = width - _GAP * (len(columns) - 1) - sum(figures)
    # Columns that need less than their share leave the rest to the others.
    for number, needed in enumerate(sorted(texts)):
        room = left / (len(texts) - number)
        if needed > room:
            break
        left -= needed
    return room if room >= least else None


@dataclass(frozen=True)
class _Layout:
    """How a table is laid out: its float, the room for a column of text, and whether headings stay whole."""

    environment: str
    room: float
    whole_heads: bool


def _fit(columns: Columns, wide: Collection[str], taken: float) -> _Layout:
    """Choose the narrowest layout that has room for the figures, besides what is taken by marks.

    Headings are broken into lines where that keeps every name in its row.
    """
    names = next(iter(columns.values()), ())
    longest = max((_width(name) for name in names if not isinstance(name, Cell)), default=0.0)
    for environment, width in (("table", COLUMN_WIDTH), ("table*", PAGE_WIDTH)):
        rooms = {whole: _room_for_text(columns, wide, width - taken, whole_heads=whole) for whole in (True, False)}
        layouts = [_Layout(environment, room, whole) for whole, room in rooms.items() if room is not None]
        if layouts:
            return next((one for one in layouts if one.room >= longest), layouts[0])
    return _Layout("table*", _NARROWEST, False)


def _head(name: str, cells: Sequence[str], layout: _Layout) -> str:
    """Write the name of a column, in several lines where the table is short of room."""
    if not is_figures(cells):
        return break_text(name, layout.room, "l", "b")
    own = max(_width(text) for text in (*name.split(" "), *cells))
    return break_text(name, _width(name) if layout.whole_heads else own, "r", "b")
