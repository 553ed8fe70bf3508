from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.public_address import Address, why_not_public

SPECIAL = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/32",
    "2001:2::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "4000::/3",
    "5f00::/16",
    "fc00::/7",
    "fd00:ec2::/32",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
]
PUBLIC = [
    "1.0.0.0",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700::1111",
    "3ffe:ffff::1",
    "3fff:1000::1",
]
V4 = st.ip_addresses(v=4).map(lambda address: IPv4Address(int(address)))
V6 = st.ip_addresses(v=6).map(lambda address: IPv6Address(int(address)))


def in_special_range() -> st.SearchStrategy[Address]:
    return st.sampled_from([ip_network(text) for text in SPECIAL]).flatmap(
        lambda network: st.integers(int(network[0]), int(network[-1])).map(
            lambda number: IPv6Address(number) if isinstance(network, IPv6Network) else IPv4Address(number)
        )
    )


@pytest.mark.parametrize("text", SPECIAL)
def test_both_ends_of_a_special_range_are_refused(text: str) -> None:
    network = ip_network(text)
    assert why_not_public(network[0])
    assert why_not_public(network[-1])


@given(in_special_range())
def test_nothing_of_a_special_range_is_public(address: Address) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize("text", PUBLIC)
def test_what_lies_just_outside_is_public(text: str) -> None:
    assert why_not_public(ip_address(text)) is None


@pytest.mark.parametrize("text", ["::ffff:1.1.1.1", "64:ff9b::1.1.1.1"])
def test_a_public_address_in_another_form_is_public(text: str) -> None:
    assert why_not_public(ip_address(text)) is None


@given(V4)
def test_another_form_of_an_address_is_judged_as_the_address(address: IPv4Address) -> None:
    mapped = IPv6Address(0xFFFF << 32 | int(address))
    translated = IPv6Address(0x64FF9B << 96 | int(address))
    assert why_not_public(mapped) == why_not_public(translated) == why_not_public(address)


@given(V4)
def test_an_address_inside_a_tunnels_one_is_never_reached(address: IPv4Address) -> None:
    assert why_not_public(IPv6Address(0x2002 << 112 | int(address) << 80))
    assert why_not_public(IPv6Address(0x20010000 << 96 | int(address)))
    assert why_not_public(IPv6Address(int(address)))


@given(st.one_of(V4, V6))
def test_public_is_never_more_than_what_the_library_calls_global(address: Address) -> None:
    inner = getattr(address, "ipv4_mapped", None) or address
    if why_not_public(address) is None:
        assert inner.is_global
        assert not inner.is_multicast


@given(V4)
def test_an_ordinary_global_address_is_public(address: IPv4Address) -> None:
    odd = any(address in ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24"))
    if address.is_global and not address.is_multicast and not odd:
        assert why_not_public(address) is None


def test_an_address_with_a_zone_is_of_one_link() -> None:
    assert why_not_public(IPv6Address("2001:4860::1%eth0")) == "of one link"
