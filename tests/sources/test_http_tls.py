"""Certificates are checked, for the name that was asked."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl

import pytest

from benchmark.outcome import Failed, Kind, Ok
from tests.servers import site as stand_ins
from tests.servers.site import json_answer
from tests.sources.http_fixtures import TOKEN, WITH_TOKEN, client_for

x509 = pytest.importorskip("cryptography.x509", reason="it makes the certificates of the test")


def certificate(folder, names):
    """Write a certificate that vouches for itself, and its key; returns the file."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stand-in")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def asked_over_tls(folder, names):
    path = certificate(folder, names)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(path)
    with stand_ins.serving(tls) as site:
        site.on("/a", json_answer([1]))
        mirrors = {"shop.example": site.address}
        with client_for(site, folder / "cache", mirrors=mirrors, http_retries=1) as client:
            return client.get(WITH_TOKEN, "https://shop.example/a"), list(site.asked)


def test_an_answer_over_tls_comes_from_whom_the_certificate_names(tmp_path, monkeypatch):
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    outcome, asked = asked_over_tls(tmp_path, [here])
    assert isinstance(outcome, Ok), outcome
    assert outcome.value.body == b"[1]"
    assert asked[0].headers["authorization"] == TOKEN


def test_a_certificate_for_another_name_is_not_accepted(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    outcome, asked = asked_over_tls(tmp_path, [x509.DNSName("another.example")])
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.NETWORK
    assert asked == []


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    outcome, asked = asked_over_tls(tmp_path, [here])
    assert isinstance(outcome, Failed)
    assert "certificate verify failed" in outcome.message
    assert asked == []
