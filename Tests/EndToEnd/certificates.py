"""Certificates as an admin makes them, by openssl: an authority of the test's own and what it signs."""

import subprocess


def openssl(*arguments, stdin=None):
    done = subprocess.run(["openssl", *map(str, arguments)], input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


class Authority:
    """A certificate authority with an intermediate one, which signs the servers' certificates."""

    def __init__(self, directory):
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self.root = directory / "root.pem"
        self.root_key = self.key("root")
        openssl("req", "-x509", "-new", "-key", self.root_key, "-out", self.root, "-subj", "/CN=test root", "-days", 30)
        self.intermediate_key = self.key("intermediate")
        self.intermediate = self.sign("intermediate", self.intermediate_key, self.root, self.root_key, "CA:TRUE", "")

    def key(self, name, kind="EC"):
        file = self.directory / f"{name}.key"
        option = {"EC": "ec_paramgen_curve:P-256", "RSA": "rsa_keygen_bits:2048"}[kind]
        openssl("genpkey", "-algorithm", kind, "-pkeyopt", option, "-out", file)
        file.chmod(0o600)
        return file

    def sign(self, name, key, issuer, issuer_key, constraint, more, days=30):
        request = openssl("req", "-new", "-key", key, "-subj", f"/CN={name}")
        extensions = self.directory / f"{name}.ext"
        extensions.write_text(f"basicConstraints={constraint}\n{more}\n")
        certificate = self.directory / f"{name}.pem"
        openssl(
            "x509", "-req", "-CA", issuer, "-CAkey", issuer_key, "-CAcreateserial", "-days", days,
            "-extfile", extensions, "-out", certificate, stdin=request,
        )
        return certificate

    def server(self, name="server", kind="EC", days=30):
        """A server's chain and key, as the settings take them."""
        key = self.key(name, kind)
        names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
        certificate = self.sign(name, key, self.intermediate, self.intermediate_key, "CA:FALSE", names, days)
        chain = self.directory / f"{name}-chain.pem"
        chain.write_text(certificate.read_text() + self.intermediate.read_text())
        return chain, key


def settings(chain, key, **more):
    """The variables that have a server use them."""
    return {"LAUNCHLINK_TLS_CERTIFICATE": str(chain), "LAUNCHLINK_TLS_KEY": str(key)} | more
