"""The alert rules and the scrape configuration that are shipped, as Prometheus' own tool sees them."""

import re
import subprocess

import pytest
import requests
import yaml

from harness import PATIENCE, ROOT

SHIPPED = ROOT / "Deploy/prometheus"
RULES = yaml.safe_load((SHIPPED / "launchlink.rules.yml").read_text())["groups"][0]["rules"]


@pytest.mark.parametrize("what, file", [
    (("check", "rules"), "launchlink.rules.yml"), (("test", "rules"), "launchlink.test.yml"),
    (("check", "config"), "prometheus.yml"),
])
def test_promtool_takes_it(what, file):
    done = subprocess.run(["promtool", *what, file], cwd=SHIPPED, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_alert_says_what_to_do(rule):
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"] and len(rule["annotations"]["description"]) > 60


def test_the_rules_name_only_what_is_served(server, partner, gateway, tmp_path):
    launch = partner.launched()
    gateway.verdict(launch)
    served = requests.get(server.operations + "/metrics", timeout=PATIENCE).text
    known = set(re.findall(r"^# TYPE (\S+)", served, re.M)) | {
        # Only there once it has happened, or where there is a log.
        "launchlink_rate_limited_total", "launchlink_access_log_lines_dropped_total",
    }
    named = {re.sub(r"_bucket$", "", name) for rule in RULES
             for name in re.findall(r"\b(?:launchlink|process)_\w+", rule["expr"])}
    assert named <= known
