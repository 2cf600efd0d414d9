"""The alert rules and the scrape configuration that are shipped, as Prometheus' own tool sees them."""

import copy
import re
import shutil
import subprocess

import pytest
import requests
import yaml

from harness import PATIENCE, ROOT, eventually

SHIPPED = ROOT / "Deploy/prometheus"
RULES = yaml.safe_load((SHIPPED / "launchlink.rules.yml").read_text())["groups"][0]["rules"]
# Ways to get a rule wrong.
WRONGS = {
    "never": lambda rule: rule.update(expr="vector(0) > 1"),
    "always": lambda rule: rule.update(expr=re.sub(r"(>|==) [\d.]+$", ">= 0", rule["expr"])),
    "at once": lambda rule: rule.pop("for", None),
}


def promtool(directory, *arguments):
    return subprocess.run(["promtool", *arguments], cwd=directory, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize("what, file", [
    (("check", "rules"), "launchlink.rules.yml"), (("test", "rules"), "launchlink.test.yml"),
    (("check", "config"), "prometheus.yml"),
])
def test_promtool_takes_it(what, file):
    done = promtool(SHIPPED, *what, file)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("wrong", WRONGS)
@pytest.mark.parametrize("place", range(len(RULES)), ids=[rule["alert"] for rule in RULES])
def test_the_shipped_tests_see_each_rule_go_wrong(place, wrong, tmp_path):
    rules = copy.deepcopy(RULES)
    WRONGS[wrong](rules[place])
    if rules == RULES:
        return  # It fires at once as it is.
    (tmp_path / "launchlink.rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "launchlink", "rules": rules}]}))
    shutil.copy(SHIPPED / "launchlink.test.yml", tmp_path)
    done = promtool(tmp_path, "test", "rules", "launchlink.test.yml")
    assert done.returncode != 0 and f"alertname: {RULES[place]['alert']}," in done.stdout + done.stderr


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_alert_says_what_to_do(rule):
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"] and len(rule["annotations"]["description"]) > 60


def test_the_rules_name_only_what_is_served(server, partner, gateway, tmp_path):
    launch = partner.launched()
    gateway.verdict(launch)
    served = lambda: requests.get(server.operations + "/metrics", timeout=PATIENCE).text
    # A request is counted once its answer is sent.
    eventually(lambda: 'route="/verify"' in served())
    known = set(re.findall(r"^# TYPE (\S+)", served(), re.M)) | {
        # Only there once it has happened, or where there is a log.
        "launchlink_rate_limited_total", "launchlink_access_log_lines_dropped_total",
    }
    named = {re.sub(r"_bucket$", "", name) for rule in RULES
             for name in re.findall(r"\b(?:launchlink|process)_\w+", rule["expr"])}
    assert named <= known
