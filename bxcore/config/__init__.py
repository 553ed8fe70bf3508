"""The configuration of a box: ``boxmaker.toml``, the environment, and the defaults (spec 6.2)."""

from bxcore.config.environment import SECRETS
from bxcore.config.layers import SourceText
from bxcore.config.loading import Loaded, load
from bxcore.config.problems import ConfigProblem
from bxcore.config.reading import Secrets, read, read_secrets
from bxcore.config.settings import HonchoRead, Settings

__all__ = [
    "SECRETS",
    "ConfigProblem",
    "HonchoRead",
    "Loaded",
    "Secrets",
    "Settings",
    "SourceText",
    "load",
    "read",
    "read_secrets",
]
