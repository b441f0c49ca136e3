"""What in a text could deceive a reader, a filter or a model. Loads on first use: counting needs none of it.

`scan` runs the detectors, one file each; `find_lookalikes` is one of them, which chats use too.
"""

from piecework._safety.finding import SEVERITIES, Finding, Kind, Scan, Severity
from piecework._safety.lookalikes import Lookalike, find_lookalikes
from piecework._safety.phrases import Phrases
from piecework._safety.scan import scan
from piecework._safety.subject import Subject

__all__ = [
    "SEVERITIES",
    "Finding",
    "Kind",
    "Lookalike",
    "Phrases",
    "Scan",
    "Severity",
    "Subject",
    "find_lookalikes",
    "scan",
]
