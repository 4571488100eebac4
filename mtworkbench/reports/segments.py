"""Stub."""

from dataclasses import dataclass


@dataclass
class Segments:
    packed: str = ""


def gather_segments(outputs, statistics, pairs, *, most_bytes=0):
    return Segments()


def segments_to_html(s):
    return "<p>sentences</p>"
