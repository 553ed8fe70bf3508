"""Whether an address is one of the public Internet: the rule by which a fetch connects (spec 2.5).

``ipaddress.is_global`` is not enough: it says yes to multicast, to the translated forms of 127.0.0.1 and to
tunnels that end in this machine. So IPv6 is taken only from what is given out (2000::/3) less the special
ranges in it, and an IPv4 address inside an IPv6 one is judged by itself.
Source of the ranges: IANA's registries of special-purpose addresses (RFC 6890 and its followers).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

V4_RANGES = {
    IPv4Network("0.0.0.0/8"): "of this network",
    IPv4Network("10.0.0.0/8"): "of a private network",
    IPv4Network("100.64.0.0/10"): "shared behind a carrier",
    IPv4Network("127.0.0.0/8"): "of this machine",
    IPv4Network("169.254.0.0/16"): "of one link",
    IPv4Network("172.16.0.0/12"): "of a private network",
    IPv4Network("192.0.0.0/24"): "kept for protocols",
    IPv4Network("192.0.2.0/24"): "kept for examples",
    IPv4Network("192.88.99.0/24"): "of a tunnel",
    IPv4Network("192.168.0.0/16"): "of a private network",
    IPv4Network("198.18.0.0/15"): "kept for measurements",
    IPv4Network("198.51.100.0/24"): "kept for examples",
    IPv4Network("203.0.113.0/24"): "kept for examples",
    IPv4Network("224.0.0.0/4"): "of many machines at once",
    IPv4Network("240.0.0.0/4"): "given to nobody",
}
V6_RANGES = {
    IPv6Network("2001::/23"): "kept for protocols",  # Teredo and ORCHID among them
    IPv6Network("2001:db8::/32"): "kept for examples",
    IPv6Network("2002::/16"): "of a tunnel",
    IPv6Network("3fff::/20"): "kept for examples",
}
_GIVEN_OUT = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""How a network without IPv4 reaches an IPv4 address (RFC 6052); its local twin 64:ff9b:1::/48 is not."""


def why_not_public(address: Address) -> str | None:
    """What an address is when it is not a public one, such as ``of a private network``; None for a public.

    The words are for the log: they tell about a network that the model should learn nothing of.
    """
    if isinstance(address, IPv4Address):
        return _special(address)
    inner = _inner(address)
    if inner is not None:
        return _special(inner)
    if address.scope_id is not None:
        return "of one link"
    if address not in _GIVEN_OUT:
        return "of no public network"
    return next((what for network, what in V6_RANGES.items() if address in network), None)


def _inner(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address to which a packet goes in the end."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFF_FFFF) if address in _TRANSLATED else None


def _special(address: IPv4Address) -> str | None:
    return next((what for network, what in V4_RANGES.items() if address in network), None)
