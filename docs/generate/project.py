"""Links to the pages at the top of the repository, which the folder of `mtworkbench lab` has not."""


def write() -> str:
    """Return the list of them."""
    return "\n".join(
        [
            "- [What has changed](../CHANGELOG.md), version by version",
            "- [How to contribute](../CONTRIBUTING.md): tests, notebooks, and how to add a metric, a test or a reader",
            "- [Security](../SECURITY.md): which input is trusted, and how to report a problem",
        ]
    )
