"""Fixtures of every test: nothing is left behind, and a runtime in the real or the virtual world."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from actors.base import Runtime
from tests.kit.kit import Kit
from tests.kit.leaks import Letters, registered_actors, threads_left
from tests.kit.probe import Probe
from tests.kit.real_kit import RealKit

# A property holds on a slow or busy machine too; each test's own time-out is what ends it.
settings.register_profile("boxmaker", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("boxmaker")


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No thread and no registered actor outlives its test."""
    before = set(threading.enumerate())
    yield
    assert threads_left(before) == []
    assert registered_actors() == []


@pytest.fixture
def real_kit(nothing_left: None) -> Iterator[RealKit]:
    """What ``runtime``, ``letters`` and ``probe`` share."""
    made = RealKit()
    yield made
    assert made.close() == []


@pytest.fixture
def runtime(real_kit: RealKit) -> Runtime:
    """A runtime on real threads; what the test started is stopped, its dead letters must be read."""
    return real_kit.runtime


@pytest.fixture
def letters(real_kit: RealKit) -> Letters:
    """The dead letters of ``runtime``: expect them or read them all."""
    return real_kit.letters


@pytest.fixture
def probe(real_kit: RealKit) -> Callable[[str], Probe]:
    """Make a probe on ``runtime`` under a name."""
    return real_kit.probe


@pytest.fixture
def kit(request: pytest.FixtureRequest, nothing_left: None) -> Iterator[Kit]:
    """The deterministic kit; its seed comes from the test's name and is shown when the test fails."""
    seed = zlib.crc32(request.node.nodeid.encode())
    made = Kit(seed)
    print(f"seed {seed}")  # noqa: T201 - pytest shows it with a failure
    yield made
    assert made.close() == []
