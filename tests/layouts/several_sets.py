"""Several test sets in one comparison."""

from .layout import Finds, Layout
from .texts import PAIR, SETS, lines, output, reference

FINDS = Finds(PAIR, several_sets=True)


def by_set(of_reference: str, of_system: str) -> dict[str, str]:
    files = {of_reference.format(set=name): lines(reference()[part]) for name, part in SETS.items()}
    for system in PAIR:
        for name, part in SETS.items():
            files[of_system.format(set=name, system=system)] = lines(output(system)[part])
    return files


def with_table(of_reference: str, of_system: str):
    rows = [("set", "reference", "system", "files")]
    for name in SETS:
        for system in PAIR:
            named = {"set": name, "system": system}
            rows.append((name, of_reference.format(**named), system, of_system.format(**named)))
    return lambda: {"campaign.tsv": lines(map("\t".join, rows))} | by_set(of_reference, of_system)


LAYOUTS = (
    Layout(
        "folders-of-sets",
        "A folder per system, a file per test set",
        with_table("ref/{set}.en", "sys/{system}/{set}.en"),
        "mtworkbench compare --test-sets campaign.tsv",
        FINDS,
    ),
    Layout(
        "firefox",
        "Firefox Translations: test set and system in the name",
        with_table("evaluation/en-de/{set}.en", "evaluation/de-en/{set}.{system}.en"),
        "mtworkbench compare --test-sets campaign.tsv",
        FINDS,
        "mozilla/firefox-translations-models evaluation/",
    ),
    Layout(
        "statistics-of-sets",
        "Saved statistics of each test set",
        lambda: by_set("{set}/ref.txt", "{set}/sys/{system}.txt"),
        "mtworkbench statistics one/ref.txt one/sys/* -m bleu --output one.stats\n"
        "mtworkbench statistics two/ref.txt two/sys/* -m bleu --output two.stats\n"
        "mtworkbench compare --statistics one.stats two.stats",
        FINDS,
    ),
)
