"""Made-up public test sets in sacreBLEU's folder, made of the sample's texts; nothing is fetched."""

import hashlib
import io
import socket
import tarfile
from urllib.error import URLError
from xml.sax.saxutils import escape, quoteattr

from sacrebleu.dataset import DATASETS
from sacrebleu.dataset.plain_text import PlainTextDataset
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from mtworkbench import find_shipped

N_SEGMENTS, PER_DOCUMENT = 40, 4
URL = "https://example.org/data/{}.tar.gz"
SYSTEMS = {"base": "baseline.run1", "online-A": "tweaked.run1", "online-B": "retrained.run1"}


def texts(name):
    """The first segments of a file of the sample."""
    return (find_shipped("data/sample") / f"{name}.txt").read_text("utf-8").splitlines()[:N_SEGMENTS]


def make_xml(systems):
    """A file of WMT: documents in two original languages, with one reference and the outputs of systems."""
    sides = [("src", 'lang="xx"', texts("baseline.run3")), ("ref", 'lang="yy" translator="A"', texts("reference"))]
    sides += [("hyp", f'lang="yy" system={quoteattr(name)}', lines) for name, lines in systems.items()]
    parts = ["<dataset>"]
    for number, start in enumerate(range(0, N_SEGMENTS, PER_DOCUMENT)):
        parts.append(f'<doc id="doc{number}" origlang="{"xx" if number % 2 else "yy"}" domain="news">')
        for tag, attributes, lines in sides:
            segments = "".join(
                f'<seg id="{place}">{escape(line)}</seg>'
                for place, line in enumerate(lines[start : start + PER_DOCUMENT], start=1)
            )
            parts.append(f"<{tag} {attributes}>{segments}</{tag}>")
        parts.append("</doc>")
    return "".join([*parts, "</dataset>"]).encode()


def pack(members):
    """An archive of files by their names."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def put_in_folder(monkeypatch, folder):
    """Let sacreBLEU keep its test sets in a folder, without a network; return the files of the made-up ones.

    ``made-up`` has outputs of systems, ``plain`` has none; ``absent`` is not in the folder.
    """

    def refuse(url):
        raise URLError(socket.gaierror(-2, "Name or service not known"))

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    monkeypatch.setattr("sacrebleu.dataset.base.SACREBLEU_DIR", str(folder))
    xml = make_xml({name: texts(file) for name, file in SYSTEMS.items()})
    of_plain = {"plain.src": "baseline.run3", "plain.ref": "reference"}
    members = {
        "made-up": {"xml/set.xx-yy.xml": xml, "xml/set.xx-zh.xml": xml, "xml/broken.xml": xml[:500]},
        "plain": {name: "".join(f"{line}\n" for line in texts(file)).encode() for name, file in of_plain.items()},
        "absent": {},
    }
    pairs = {name: [f"xml/set.{name}.xml"] for name in ("xx-yy", "xx-zh", "xx-no")} | {"xx-br": ["xml/broken.xml"]}
    archives = {}
    for name, files in members.items():
        data = pack(files)
        known = {"data": [URL.format(name)], "md5": [hashlib.md5(data).hexdigest()]}
        if name == "plain":
            made = PlainTextDataset(name, **known, langpairs={"xx-yy": ["plain.src", "plain.ref"]})
        else:
            made = WMTXMLDataset(name, **known, langpairs=pairs, refs=["A"])
        monkeypatch.setitem(DATASETS, name, made)
        archives[name] = folder / name / "raw" / f"{name}.{name}.tar.gz"
        if name != "absent":
            archives[name].parent.mkdir(parents=True)
            archives[name].write_bytes(data)
    return archives
