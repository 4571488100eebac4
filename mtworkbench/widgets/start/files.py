"""A list of the files in a folder, in which a user says what each is; it never leaves the folder it was given."""

from __future__ import annotations

import os
from typing import Any

import anywidget
import traitlets

from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.outputs.files.bytes import natural_order
from mtworkbench.outputs.roles import ONE_FILE, ROLES, count_lines, propose_roles
from mtworkbench.widgets.controls import show_name
from mtworkbench.widgets.pages import read_files, read_script
from mtworkbench.wording import agree, be, name_some, tally

LOOKS = read_files("looks.css", "start/start.css")
#: So many entries of a folder are listed at most: a page is slow with more, and nobody reads them.
MOST_ENTRIES = 2000
# A folder can be taken only as the outputs in it.
_OF_FOLDERS = ("", "output")


class FileBrowser(anywidget.AnyWidget):
    """The folders and files in a folder, each with a menu of what it is taken as.

    What files are likely to be is proposed, anew in each folder until the user chooses something. From then on, what is
    chosen stays in every folder; once a reference is chosen and no output yet, what belongs to it is proposed. The page
    knows entries by their place in the list, never by their path; whatever leads out of the root, as a symbolic link
    may, is neither listed nor entered.

    Parameters
    ----------
    root : path
        The folder to begin with, above which nobody gets.

    Attributes
    ----------
    folder : str
        The path that is listed, from the root; ``.`` for the root itself.
    entries : list of dict
        ``name``, as it is shown, ``is_folder``, and ``lines``, a number as it is written or an empty text.
    roles : list of str
        Of each entry: one of `ROLES`, or nothing.
    offered : list of str
        What a file can be taken as.
    listing : int
        Goes up with each list: what the page says of another one is ignored.
    said, note : str
        What is chosen, and what is to be said of the folder.
    taken : dict
        What is `chosen`, to be observed; the page does not get it.

    Raises
    ------
    InputError
        ``no-folder`` where the root is no folder that can be read.
    """

    _esm = read_script("start/files.js")
    _css = LOOKS
    folder = traitlets.Unicode().tag(sync=True)
    entries = traitlets.List(traitlets.Dict()).tag(sync=True)
    roles = traitlets.List(traitlets.Unicode()).tag(sync=True)
    offered = traitlets.List(traitlets.Unicode(), [*ROLES]).tag(sync=True)
    listing = traitlets.Int(0).tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    taken = traitlets.Dict()

    def __init__(self, root: str | os.PathLike[str]):
        super().__init__()
        self.root = os.path.realpath(root)
        self._here, self._paths = self.root, list[str]()
        self._own: dict[str, str] = {}
        self._proposed: dict[str, str] = {}
        self._counts: dict[str, int | None] = {}
        self._list(self.root)
        self.on_msg(self._receive)

    @property
    def chosen(self) -> dict[str, str]:
        """The role of each path that has one."""
        return {path: role for path, role in (self._proposed | self._own).items() if role}

    def of_role(self, role: str) -> list[str]:
        """Return the paths of a role, in natural order."""
        return sorted((path for path, its in self.chosen.items() if its == role), key=natural_order)

    def enter(self, path: str) -> None:
        """List a folder: a path from the root, or one that is absolute; of a file, the folder it is in.

        A path that cannot be listed is named in `note`, and the list stays as it is.
        """
        try:
            target = self.inside(os.path.join(self.root, os.path.expanduser(path.strip()) or "."), path)
            self._list(target if os.path.isdir(target) else os.path.dirname(target))
        except InputError as error:
            self.note = printable(str(error))

    def choose(self, path: str, role: str) -> None:
        """Take a path as something else: one of `ROLES`, or nothing (an empty text)."""
        had_outputs = "output" in self.chosen.values()
        if role in ONE_FILE:
            for other in self.of_role(role):
                self._own[other] = ""
        self._own[path] = role
        if role == "reference" and not had_outputs:
            self._propose()
        self._show()

    def clear(self) -> None:
        """Choose nothing."""
        self._own, self._proposed = {}, {}
        self._show()

    def inside(self, path: str, called: str | None = None) -> str:
        """Return what a path leads to, if that is there and in the root; errors call it by another name.

        Raises
        ------
        InputError
            ``no-folder`` where it is not there, ``outside`` where it leads out of the root.
        """
        try:
            target = os.path.realpath(path)
            is_inside = os.path.commonpath([target, self.root]) == self.root
        except ValueError:  # a path with a null character, or on another drive
            is_inside = False
        called = called or self._from_root(path)
        if not is_inside:
            raise InputError(
                "outside",
                f"{called!r} leads out of {os.path.basename(self.root) or self.root!r}, the folder that this form may "
                "show: name a path in it (whoever wrote the notebook can name another folder, as in mtw.start('..')).",
            )
        if not os.path.exists(target):
            raise InputError("no-folder", f"There is no {called!r}: choose one of the folders listed.")
        return target

    def check_links(self, folder: str) -> None:
        """Refuse a folder with a link, at any depth, that leads out of the root, before anything in it is looked at."""
        for place, folders, files in os.walk(self.inside(folder)):
            for path in (os.path.join(place, name) for name in sorted((*folders, *files))):
                if os.path.islink(path):
                    self.inside(path)

    def _from_root(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def _list(self, folder: str) -> None:
        """List a folder in the root; nothing changes if it cannot be read."""
        try:
            with os.scandir(folder) as found:
                all_entries = [(self._kind_of(one), one.path) for one in found if not one.name.startswith(".")]
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(
                "no-folder", f"The folder {self._from_root(folder)!r} cannot be read ({reason}): choose another one."
            ) from error
        shown = sorted((kind, natural_order(path), path) for kind, path in all_entries if kind in (_FOLDER, _FILE))
        self._here, self._paths = folder, [path for _, _, path in shown[:MOST_ENTRIES]]
        self._n_folders = sum(kind == _FOLDER for kind, _, _ in shown[:MOST_ENTRIES])
        files = self._paths[self._n_folders :]
        known = {path: count for path, count in self._counts.items() if path not in files}
        self._counts = known | count_lines(files)
        self._propose()
        n_uncounted = sum(file not in self._counts for file in files)
        n_outside = sum(kind == _OUTSIDE for kind, _ in all_entries)
        with self.hold_sync():
            self.folder = printable(self._from_root(folder))
            self.entries = [
                {"name": show_name(os.path.basename(path)), "is_folder": is_folder, "lines": self._write_lines(path)}
                for path, is_folder in zip(self._paths, self._are_folders, strict=True)
            ]
            self.note = _describe_list(len(shown), n_uncounted, n_outside)
            self.listing += 1
            self._show()

    @property
    def _are_folders(self) -> list[bool]:
        return [place < self._n_folders for place in range(len(self._paths))]

    def _write_lines(self, path: str) -> str:
        count = self._counts.get(path)
        return "" if count is None else f"{count:,}"

    def _kind_of(self, entry: os.DirEntry[str]) -> int:
        """Tell folders and ordinary files in the root from what leads out of it and all else, such as pipes."""
        try:
            if entry.is_symlink():
                self.inside(entry.path)
            return _FOLDER if entry.is_dir() else _FILE if entry.is_file() else _OTHER
        except InputError as error:
            return _OUTSIDE if error.code == "outside" else _OTHER
        except OSError:
            return _OTHER

    def _propose(self) -> None:
        """Propose files of the list: anew until the user has chosen something, then only what a reference lacks."""
        files = self._paths[self._n_folders :]
        roles = set(self.chosen.values())
        is_by_hand = bool(roles and self._own)
        proposed = {} if is_by_hand else propose_roles(files, self._counts)
        if not proposed and "reference" in roles and "output" not in roles:
            found = propose_roles(files, self._counts, self.of_role("reference"))
            proposed = self._proposed | {path: role for path, role in found.items() if role not in roles}
        elif is_by_hand:
            return
        self._proposed = {path: role for path, role in proposed.items() if path not in self._own}

    def _show(self) -> None:
        chosen = self.chosen
        with self.hold_sync():
            self.roles = [chosen.get(path, "") for path in self._paths]
            self.said = self._describe_chosen()
        self.taken = chosen

    def _describe_chosen(self) -> str:
        parts = []
        for role in ROLES:
            if paths := self.of_role(role):
                names = name_some([repr(printable(self._from_root(path))) for path in paths], most=4)
                several = "s" if len(paths) > 1 and role in ("reference", "output") else ""
                parts.append(f"{tally(len(paths), role) if several else role} {names}")
        return f"Chosen: {'; '.join(parts)}." if parts else "Nothing is chosen yet."

    def _receive(self, _: object, message: Any, buffers: object) -> None:
        """Do what the page asks for, if it still speaks of this list."""
        kind, place = message.get("kind"), message.get("place")
        if kind == "path":
            self.enter(str(message.get("text")))
        elif kind == "up" and self._here != self.root:
            self.enter(os.path.dirname(self._here))
        elif kind == "clear":
            self.clear()
        elif message.get("listing") != self.listing or place not in range(len(self._paths)):
            return
        elif kind == "enter" and place < self._n_folders:
            self.enter(self._paths[place])
        elif kind == "role" and message.get("role") in (_OF_FOLDERS if place < self._n_folders else ("", *ROLES)):
            self.choose(self._paths[place], message["role"])


# Folders are listed before files.
_FOLDER, _FILE, _OUTSIDE, _OTHER = range(4)


def _describe_list(n_entries: int, n_uncounted: int, n_outside: int) -> str:
    """Say what of a folder is not listed, or not known."""
    said = []
    if n_entries == 0:
        said.append("There is no file in this folder.")
    if n_entries > MOST_ENTRIES:
        said.append(
            f"Only the first {MOST_ENTRIES:,} of {n_entries:,} entries are listed: take the whole folder as outputs in "
            "the folder above, or write a path."
        )
    if n_uncounted:
        said.append(
            f"The files are so large that the lines of {tally(n_uncounted, 'file')} were not counted: say what each "
            "file is."
        )
    if n_outside:
        said.append(
            f"{tally(n_outside, 'link')} that {agree(n_outside, 'lead')} out of the folder of this form "
            f"{be(n_outside)} left out."
        )
    return " ".join(said)
