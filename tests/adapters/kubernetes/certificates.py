"""A certificate authority without an Authority Key Identifier, as EKS has them, and loopback certificates of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """PEM of a CA, and of a server certificate with its key."""

    ca_pem: str
    server_pem: bytes


def issue_chain(host: x509.GeneralName | None = None) -> Chain:
    """Make a new CA and a certificate of it for `host`, 127.0.0.1 by default."""
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = _build("ca", "ca", ca_key.public_key(), x509.BasicConstraints(ca=True, path_length=None)).sign(
        ca_key, hashes.SHA256()
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([host or x509.IPAddress(IPv4Address("127.0.0.1"))])
    server = (
        _build("server", "ca", key.public_key(), x509.BasicConstraints(ca=False, path_length=None))
        .add_extension(names, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Chain(
        ca_pem=ca.public_bytes(serialization.Encoding.PEM).decode(),
        server_pem=server.public_bytes(serialization.Encoding.PEM) + private,
    )


def _build(
    subject: str, issuer: str, key: ec.EllipticCurvePublicKey, constraints: x509.BasicConstraints
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2049, 1, 1, tzinfo=UTC))
        .add_extension(constraints, critical=True)
    )
