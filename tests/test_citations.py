"""The sources that a paragraph names: those of the methods of this result, each with its entry, in a real LaTeX."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import mtworkbench.words
from mtworkbench import compare, compare_test_sets, compute_statistics, describe_comparison, find_shipped, read_outputs
from mtworkbench.errors import InputError
from mtworkbench.resampling import resolve_rng
from mtworkbench.tables import format_campaign, format_comparison
from mtworkbench.tables.latex import sentence_to_latex
from mtworkbench.words.citations import cite, find_sources, read_sources, write_bibtex

from .hand_made import comparison, pair, system
from .test_paragraphs import METHOD, SHOWN, over_sets
from .test_tables_latex import has_latex

SACREBLEU = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
BLEU, TEST = ["papineni-etal-2002-bleu", "post-2018-call"], ["noreen-1989-computer", "riezler-maxwell-2005-pitfalls"]
KOEHN, CLARK, HOLM = "koehn-2004-statistical", "clark-etal-2011-better", "holm-1979-simple"
#: What brackets have in a text that names a source: names, a comma and a year.
NAMED = r"[A-ZÀ-Ž][^\W\d_]+(?: (?:and [A-ZÀ-Ž][^\W\d_]+|et al\.))?, (?:19|20)\d\d"


def two(*, name="BLEU", signature=SACREBLEU, changes=None, **settings):
    """New and base under one metric of this signature."""
    found = comparison([system("base"), system("new")], [pair("new", "base", **(changes or {}))], name, **settings)
    metrics = {name: replace(found.metrics[name], signature=signature)}
    return replace(found, metrics=metrics)


def keys_of(found):
    return [source.key for source in cite(found)]


@pytest.mark.parametrize(
    ("name", "signature", "keys"),
    [
        ("BLEU", SACREBLEU, BLEU),
        ("BLEU-2", SACREBLEU, BLEU),
        ("BLEU|tok:zh", SACREBLEU, BLEU),
        ("BLEU", SACREBLEU.replace("|version", "|ref:shortest|version"), BLEU[:1]),  # as mteval computes it
        ("chrF", "nrefs:1|nw:0|version:2.6.0", ["popovic-2015-chrf", "post-2018-call"]),
        ("chrF++", "nrefs:1|nw:2|version:2.6.0", ["popovic-2017-chrf", "post-2018-call"]),
        ("chrF3+", "nrefs:1|nw:1|version:2.6.0", ["popovic-2017-chrf", "post-2018-call"]),
        ("TER", "nrefs:1|tok:tercom|version:2.6.0", ["snover-etal-2006-study", "post-2018-call"]),
        ("NIST", "nrefs:1|info:test-set|version:mteval-v13a", ["doddington-2002-automatic"]),
        ("GTM-1.5", "nrefs:1|exponent:1.5|version:gtm-1.4", ["melamed-etal-2003-precision"]),
        ("METEOR", "nrefs:1|mod:exact|version:meteor-1.5", ["denkowski-lavie-2014-meteor"]),
        ("Length", "nrefs:1|ref:closest|tok:none", []),
        ("BLEU", "mean:BLEU", []),  # scores of another program
        ("COMET", "mean:COMET", []),
    ],
)
def test_a_metric_is_cited_by_what_computed_it(name, signature, keys):
    assert keys_of(two(name=name, signature=signature)) == [*keys, KOEHN, *TEST]


def test_metrics_share_a_sentence():
    found = two()
    other = replace(found.metrics["BLEU"], signature="nrefs:1|mod:exact|version:meteor-1.5")
    metrics = {"BLEU": found.metrics["BLEU"], "BLEU|tok:zh": found.metrics["BLEU"], "METEOR": other, "NIST": other}
    assert (
        "We computed BLEU (Papineni et al., 2002) as sacreBLEU does (Post, 2018), and METEOR (exact) (Denkowski and "
        "Lavie, 2014) and NIST (Doddington, 2002). CIs are"
    ) in describe_comparison(replace(found, metrics=metrics))


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({"interval": "percentile"}, [KOEHN]),
        ({"interval": "basic"}, ["davison-hinkley-1997-bootstrap", KOEHN]),
        ({"interval": "bca"}, ["efron-1987-better", KOEHN]),
        ({"interval": "jackknife"}, ["efron-tibshirani-1993-introduction"]),
        ({"unit": "block of 7"}, [KOEHN, "politis-romano-1992-circular"]),
        ({"unit": "block of 7", "interval": "jackknife"}, ["efron-tibshirani-1993-introduction"]),
    ],
)
def test_an_interval_is_cited_by_its_method(settings, keys):
    assert keys_of(two(**settings)) == [*BLEU, *keys, *TEST]


def test_bca_is_written_as_its_authors_do():
    assert "CIs are BCa bootstrap intervals (Efron, 1987; Koehn, 2004) by segment" in describe_comparison(
        two(interval="bca")
    )


def test_a_test_of_all_exchanges_and_an_inverted_test_have_their_sources():
    exact = {"p_low": 0.169, "p_high": 0.169, "exact": True}
    assert keys_of(two(changes=exact)) == [*BLEU, KOEHN, TEST[0]]
    assert "a two-sided exact randomization test (Noreen, 1989) by segment (all 2^12 exchanges)" in describe_comparison(
        two(changes=exact)
    )
    inverted = two(interval_of_differences="exchanges")
    assert keys_of(inverted) == [*BLEU, KOEHN, *TEST, "garthwaite-1996-confidence"]


def test_several_comparisons_cite_their_adjustment_and_runs_their_means():
    systems = [system(name, runs=3) for name in ("base", "b", "c")]
    pairs = [pair(name, "base", **SHOWN, **METHOD) for name in "bc"]
    holm, max_t = (comparison(systems, pairs, adjust=adjust, baseline="base") for adjust in ("holm", "max-t"))
    assert keys_of(holm) == [CLARK, KOEHN, *TEST, HOLM]
    assert keys_of(max_t) == [CLARK, KOEHN, *TEST, "westfall-young-1993-resampling", HOLM]
    of_outputs = comparison([system(one) for one in "abc"], [pair("b", "a"), pair("c", "a")], adjust="max-t")
    assert HOLM not in keys_of(of_outputs)


def test_many_systems_and_several_sets_have_their_sources():
    names = ["base", "b", "c", "d", "e"]
    many = comparison(map(system, names), [pair(name, "base") for name in names[1:]], baseline="base", adjust="max-t")
    assert keys_of(many) == [KOEHN, *TEST, "westfall-young-1993-resampling"]
    assert keys_of(over_sets({"new": [1.0, 2.0, 3.0]})) == [KOEHN, *TEST, "knapp-hartung-2003-improved"]


def test_one_metric_names_no_method_and_something_else_is_refused():
    assert cite(two().metrics["BLEU"]) == [] and write_bibtex(two().metrics["BLEU"]) == ""
    with pytest.raises(InputError, match="a comparison was expected"):
        cite(3)


# ---- the entries


def test_every_source_has_what_its_kind_needs():
    needed = {
        "article": {"journal", "volume", "number", "pages"},
        "book": {"publisher", "address"},
        "inproceedings": {"booktitle", "pages"},
        "incollection": {"booktitle", "editor", "publisher", "pages"},
    }
    for source in read_sources():
        kind = re.match(r"@(\w+)\{", source.entry)[1]
        fields = dict(re.findall(r"^  (\w+) = \{(.+)\},?$", source.entry, flags=re.MULTILINE))
        assert needed[kind] | {"title", "author", "year"} <= set(fields), source.key
        assert len(fields) == source.entry.count("\n") - 1 == source.entry.count(",\n"), source.key
        assert source.entry.isascii() and source.entry.count("{") == source.entry.count("}"), source.key
        assert f"-{fields['year']}-" in source.key and source.cited_as.endswith(f", {fields['year']}")
        assert source.key.startswith(source.cited_as.split()[0].strip(",").lower().replace("ć", "c")), source.key
        assert re.fullmatch(NAMED, source.cited_as), source.cited_as
    for names in ([one.key for one in read_sources()], [one.cited_as for one in read_sources()]):
        assert len(set(names)) == len(names)


def test_every_source_is_named_by_a_sentence_and_every_name_has_a_source():
    """In the modules of sentences: a misspelt name would be in the text, but not among the entries."""
    room = Path(mtworkbench.words.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in room.glob("*.py") if path.name != "citations.py")
    strings = re.sub(r'"""(?s:.*?)"""|#.*', "", code)
    assert set(re.findall(NAMED, strings)) == {source.cited_as for source in read_sources()}


def check(found):
    """Each name of a source in the paragraph has its entry, and each entry is named."""
    said, bibtex = describe_comparison(found), write_bibtex(found)
    sources = cite(found)
    assert {source.cited_as for source in sources} == set(re.findall(NAMED, said)) != set()
    assert re.findall(r"^@\w+\{(.*),$", bibtex, flags=re.MULTILINE) == [source.key for source in sources]
    write = format_comparison if hasattr(found, "n_segments") else format_campaign
    latex = re.sub(r"\n% ?", " ", write(found, "latex").split("\\begin{table")[0])
    text, _, entries = latex.partition("For the bibliography (BibTeX):")
    cited = {key for keys in re.findall(r"\\citep\{(.*?)\}", text) for key in keys.split(",")}
    assert cited == {source.key for source in sources} == set(re.findall(r"@\w+\{([\w-]+),", entries))
    assert not re.search(NAMED, text.partition("For the text")[2])
    assert not re.search(r"[ (~]-[ \d]", text.partition("For the text")[2])


def test_names_and_entries_belong_together_whatever_the_settings():
    for interval in ("percentile", "basic", "bca", "jackknife"):
        for adjust in ("holm", "max-t"):
            for unit in ("segment", "document", "block of 7"):
                check(two(interval=interval, adjust=adjust, unit=unit))
    check(over_sets({"new": [1.0, 2.0, 3.0], "other": [1.0, 1.5, 2.0]}))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_names_and_entries_belong_together_in_many_results():
    from scripts.write_golden import cases

    kept = ("pairs", "baseline", "campaign", "margin", "strata", "documents", "blocks", "family", "pooled", "max-t")
    for name, find in cases():
        if any(word in name for word in kept):
            check(find())


# ---- LaTeX


def test_the_latex_cites_by_key_and_has_minus_quotation_and_powers():
    latex = format_comparison(two(changes={"p_low": 0.169, "p_high": 0.169, "exact": True}), "latex")
    text = latex.replace("\n% ", " ")
    assert "For the text (needs \\usepackage{natbib}): We compared base and new" in text
    assert "a difference of $-$0.34 (95~\\% CI $-$0.84 to 0.16, p =~0.3380)" in text
    assert "test~\\citep{noreen-1989-computer} by segment (all $2^{12}$ exchanges)" in text
    assert "\n% For the bibliography (BibTeX):\n% @inproceedings{papineni-etal-2002-bleu,\n%   title = {{B}leu" in latex
    assert sentence_to_latex('"Not shown" (of "a b") is not "equal", at 5 %; p < 0.01.') == (
        "``Not shown'' (of ``a b'') is not ``equal'', at 5~\\%; p \\textless{}~0.01."
    )
    parts = "b - a = -0.5, to which precision contributes -0.2 and the brevity penalty -0.3"
    assert sentence_to_latex(parts) == parts.replace(" - ", " $-$ ").replace("= -0", "=~$-$0").replace(" -0", " $-$0")


def test_a_name_of_a_system_is_no_source():
    found = comparison([system("base"), system("Koehn, 2004")], [pair("Koehn, 2004", "base")])
    assert "compared base and Koehn, 2004 on" in describe_comparison(found)
    assert find_sources("Koehn, 2004 (Noreen, 1989; somebody, 2000) (Koehn 2004)") == []
    assert [one.key for one in find_sources("a (Noreen, 1989; Koehn, 2004) b (Koehn, 2004).")] == [TEST[0], KOEHN]


def read_sample(*names, runs="run1", metrics=("bleu",), keep=slice(None)):
    folder = find_shipped("data") / "sample"
    outputs = read_outputs(folder / "reference.txt", {name: str(folder / f"{name}.{runs}.txt") for name in names})
    segments = sorted(outputs["segment"].unique())[keep]
    return compute_statistics(outputs[outputs["segment"].isin(segments)], list(metrics))


def real_results():
    """Two systems, three runs, a margin, several test sets; all from the sample."""
    quickly = {"n_resamples": 200, "n_trials": 200, "rng": resolve_rng(1).rng}
    first = read_sample("baseline", "retrained", metrics=("bleu", "chrf:word_order=2", "ter"), keep=slice(300))
    yield "two", compare(first, "baseline", **quickly)
    runs = read_sample("baseline", "tweaked", "retrained", runs="run*", keep=slice(300))
    yield "runs", compare(runs, "baseline", interval="bca", **quickly)
    yield "margin", compare(runs, "baseline", adjust="holm", margin=0.5, interval="basic", unit="block", **quickly)
    names = ("baseline", "tweaked")
    sets = {f"part {n}": read_sample(*names, keep=slice(200 * n, 200 * n + 200)) for n in range(1, 4)}
    yield "sets", compare_test_sets(sets, "baseline", **quickly)


def uncommented(latex):
    """The paragraph and the entries of a LaTeX file, without the marks of comments."""
    comments = re.match(r"(?:%.*\n)*", latex)[0]
    text, _, entries = (
        comments.partition("% For the text")[2]
        .partition(
            "\n",
        )[2]
        .partition("% For the bibliography")
    )
    return (re.sub("^% ?", "", part, flags=re.MULTILINE) for part in (text, entries.partition("\n")[2]))


PAPER = r"""\documentclass[11pt,twocolumn]{article}
\usepackage{booktabs,natbib}
\begin{document}
%s
\bibliographystyle{plainnat}
\bibliography{paper}

%s
\end{document}
"""


def has_natbib():
    if not has_latex() or shutil.which("bibtex") is None:
        return False
    return subprocess.run(["kpsewhich", "natbib.sty"], capture_output=True, check=False).returncode == 0


def typeset(folder, latex):
    """Set a paper of a result, and return what LaTeX and BibTeX complain of."""
    text, entries = uncommented(latex)
    (folder / "paper.tex").write_text(PAPER % (text, latex), encoding="utf-8")
    (folder / "paper.bib").write_text(entries, encoding="utf-8")
    pdflatex = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    for command in (pdflatex, ["bibtex", "paper"], pdflatex, pdflatex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    logs = [(folder / f"paper.{kind}").read_text(encoding="utf-8", errors="replace") for kind in ("log", "blg")]
    return re.findall(r".*(?:undefined|Missing character|multiply|Warning--).*", "\n".join(logs))


@pytest.mark.skipif(not has_natbib(), reason="needs LaTeX (texlive-latex-base, texlive-latex-recommended), BibTeX")
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.long
def test_a_real_latex_sets_the_paragraph_with_its_bibliography(tmp_path):
    for name, found in real_results():
        write = format_campaign if name == "sets" else format_comparison
        (tmp_path / name).mkdir()
        assert typeset(tmp_path / name, write(found, "latex")) == [], name
        set_sources = (tmp_path / name / "paper.bbl").read_text(encoding="utf-8")
        assert set_sources.count("\\bibitem") == len(cite(found)) > 5
