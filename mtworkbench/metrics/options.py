"""Options of metrics: checked when a metric is made, read from ``NAME:option=value,...``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints

from mtworkbench.errors import InputError

TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
TYPE_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a text", NoneType: "none"}


def check_option_types(metric: Any) -> None:
    """Check the options of a metric, a dataclass, against their annotations.

    Raises
    ------
    InputError
        ``option-value`` where an option has a value of another type: the text "false" would count as true.
    """
    for option, types in option_types(type(metric)).items():
        value = getattr(metric, option)
        allowed = (*types, int) if float in types else types
        if (isinstance(value, bool) and bool not in types) or not isinstance(value, allowed):
            raise bad_value(type(metric).__name__, option, value, _describe_types(types))


def check_choice(metric: str, option: str, value: str, choices: Iterable[str]) -> None:
    """Raise an `InputError` ``option-value`` unless the value is one of the choices."""
    choices = list(choices)
    if value not in choices:
        raise bad_value(metric, option, value, f"one of {', '.join(choices)}")


def check_at_least(metric: str, option: str, value: float, least: float) -> None:
    """Raise an `InputError` ``option-value`` where a number is too small or not a number."""
    if not least <= value < float("inf"):
        raise bad_value(metric, option, value, f"a number of at least {least}")


def bad_value(metric: str, option: str, value: object, expected: str) -> InputError:
    """Make the error for a value that an option cannot have."""
    return InputError(
        "option-value",
        f"{metric} has {option}={value!r}, but {expected} was expected.",
        found=repr(value),
        expected=expected,
    )


def option_types(metric_class: type) -> dict[str, tuple[type, ...]]:
    """Return the types that each option of a metric may have."""
    hints = get_type_hints(metric_class)
    return {field.name: get_args(hints[field.name]) or (hints[field.name],) for field in fields(metric_class)}


def parse_options(metric_class: type, text: str) -> dict[str, Any]:
    """Read ``option=value,...`` by the names and types of a metric's options.

    Raises
    ------
    InputError
        ``unknown-option`` or ``option-value``.
    """
    types = option_types(metric_class)
    options: dict[str, Any] = {}
    for part in text.split(",") if text.strip() else []:
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(
                "option-value",
                f"{part!r} among the options of {metric_class.__name__} has no value: "
                f"write option=value with one of the options {', '.join(types) or '(it has none)'}.",
                found=part,
            )
        if option not in types:
            raise unknown_option(metric_class, option)
        if option in options:
            raise InputError("option-value", f"The option {option} of {metric_class.__name__} is given twice.")
        options[option] = _parse_value(metric_class.__name__, option, value, types[option])
    return options


def unknown_option(metric_class: type, option: str) -> InputError:
    """Make the error for an option that a metric does not have."""
    names = list(option_types(metric_class))
    known = f"its options are {', '.join(names)}" if names else "it has no options"
    return InputError("unknown-option", f"{metric_class.__name__} has no option {option!r}: {known}.", found=option)


def _parse_value(metric: str, option: str, text: str, types: tuple[type, ...]) -> Any:
    if NoneType in types and text.lower() in ("none", "null"):
        return None
    try:
        if bool in types:
            return TRUTH[text.lower()]
        if int in types:
            return int(text)
        if float in types:
            return float(text)
    except (KeyError, ValueError):
        raise bad_value(metric, option, text, _describe_types(types)) from None
    return text


def _describe_types(types: tuple[type, ...]) -> str:
    return " or ".join(TYPE_NAMES[allowed] for allowed in types)
