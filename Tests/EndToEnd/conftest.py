"""One installation with one server for all tests that leave it as they found it."""

from types import SimpleNamespace

import pytest

import gateways
from harness import CATALOG, PROJECT, install
from raw_web import RawWeb


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("installation"))
    made.project()
    made.run("catalog", "import", CATALOG)
    return made


@pytest.fixture(scope="session")
def keys(installation):
    """API keys by scope, of the usual project where they can have one; `gateway` is a verify key without."""
    made = {scope: installation.key(scope, PROJECT) for scope in ("launch", "verify", "catalog")}
    return SimpleNamespace(**made, support=installation.key("support"), gateway=installation.key("verify"))


@pytest.fixture(scope="session")
def server(installation):
    with installation.serve() as running:
        yield running


@pytest.fixture(scope="session")
def partner(server, keys):
    """The partner's backend: a client with the launch key."""
    return server.client(keys.launch)


@pytest.fixture(scope="session")
def gateway(server, keys):
    """A gateway: a client with a verify key."""
    return server.client(keys.gateway)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An installation of the module's own, whose gateways have a web behind them that answers as a test says."""
    with gateways.house(tmp_path_factory.mktemp("house"), RawWeb()) as made:
        yield made


@pytest.fixture(scope="module", params=gateways.GATEWAYS)
def proxy(request, house, tmp_path_factory):
    """Each of the shipped gateways in front of the house."""
    started = house.gateway(request.param, tmp_path_factory.mktemp("proxy") / request.param)
    yield started
    started.stop()


@pytest.fixture
def fresh(tmp_path):
    """An installation of the test's own."""
    return install(tmp_path)
