from setup import base

TARGETS = [
    "Debian|http://mirror.example/debian/|bookworm|main",
    "Debian|http://mirror.example/debian/|bookworm-updates|main",
    "Debian|http://security.example/|bookworm-security|main",
    "Debian|http://mirror.example/debian/|bookworm|non-free-firmware",
    "Debian|http://mirror.example/debian/|bookworm-proposed-updates|main",
    "Docker|http://docker.example/linux/debian|bookworm|stable",
    "Somebody|http://third.example/debian|bookworm|main",
    "Debian|http://mirror.example/debian/|bookworm|main",
]


def test_only_debians_own_sources_are_carried_for_the_other_suite():
    assert base.carried_sources(TARGETS, "bookworm") == [
        "deb http://mirror.example/debian/ trixie main",
        "deb http://mirror.example/debian/ trixie-updates main",
        "deb http://security.example/ trixie-security main",
    ]


def test_a_host_of_the_same_suite_keeps_it():
    targets = ["Debian|http://mirror.example/debian/|trixie-security|main"]
    lines = base.carried_sources(targets, "trixie")
    assert lines == ["deb http://mirror.example/debian/ trixie-security main"]


def test_a_host_that_is_not_debian_carries_nothing():
    targets = ["Ubuntu|http://mirror.example/ubuntu/|noble|main"]
    assert base.carried_sources(targets, "noble") == []


def test_options_that_decide_how_sources_are_reached_are_carried():
    dump = [
        'Acquire::http::Proxy "http://proxy.example:3142";',
        'Acquire::https::CaInfo "/etc/company.pem";',
        'Acquire::http::Proxy-Auto-Detect "/usr/local/bin/find-proxy";',
        'Acquire::Check-Valid-Until "false";',
        'Acquire::Retries "3";',
        'Acquire::Languages "none";',
        'DPkg::Post-Invoke:: "rm -rf /";',
    ]
    assert base.carried_options(dump) == [dump[0], dump[3], dump[4]]


def test_certificates_are_carried_only_where_a_source_needs_them():
    assert base._certificates(["deb http://mirror.example/debian/ trixie main"]) == []
