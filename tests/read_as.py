"""What the terminal adds to the library's JSON: how files were read."""

import json


def without_read_as(output):
    """Take it out of JSON; other formats have none."""
    if not output.startswith("{"):
        return output
    found = json.loads(output)
    assert set(found.pop("read_as")) == {"systems", "runs", "documents", "segments", "sentence"}
    return json.dumps(found, indent=2) + "\n"
