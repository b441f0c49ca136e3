"""Generated texts are many and machines are busy: no example has a time limit."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("piecework", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("piecework")
