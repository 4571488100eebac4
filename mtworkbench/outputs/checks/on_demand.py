"""Texts that are read again whenever they are needed, so that those of one file at a time take memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

Texts = Sequence[str | None]


class Shelf:
    """A place for the texts of one file: those of another are let go before it is read."""

    def __init__(self):
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        self.put(None, ())

    def put(self, key: object, texts: Texts) -> None:
        """Hold texts in place of those that were held."""
        self._key, self._texts = key, texts

    def take(self, key: object, read: Callable[[], Texts]) -> Texts:
        """Return the texts of a key, read again unless they are held."""
        if self._key is not key:
            self.clear()
            self.put(key, read())
        return self._texts


class TextsOnDemand(Sequence[str | None]):
    """The texts of one file, which are held only as long as no others are put on their shelf.

    Any order of use gives the same texts; what needs all of one file before it goes on to the next reads each once.

    Parameters
    ----------
    texts : sequence of str or None
        As they were read the first time.
    read : callable
        Reads them again.
    shelf : Shelf
        Shared by all files of which one is to be held at a time.
    """

    def __init__(self, texts: Texts, read: Callable[[], Texts], shelf: Shelf):
        self._length = len(texts)
        self._read = read
        self._shelf = shelf
        self._key = object()  # on the shelf, the texts themselves would keep each other alive
        shelf.put(self._key, texts)

    def _all(self) -> Texts:
        return self._shelf.take(self._key, self._read)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, position: int) -> str | None: ...

    @overload
    def __getitem__(self, position: slice) -> Texts: ...

    def __getitem__(self, position: int | slice) -> str | None | Texts:
        return self._all()[position]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._all())

    def __reversed__(self) -> Iterator[str | None]:
        return reversed(self._all())

    def changed(self, change: Callable[[Texts], Texts]) -> TextsOnDemand:
        """Return the texts as they are after a change, which is made again whenever they are read."""
        return TextsOnDemand(change(self._all()), lambda: change(self._read()), self._shelf)


def change_texts(texts: Texts, change: Callable[[Texts], Texts]) -> Texts:
    """Change all texts of a file or list, so that those that are read on demand still are."""
    return texts.changed(change) if isinstance(texts, TextsOnDemand) else change(texts)
