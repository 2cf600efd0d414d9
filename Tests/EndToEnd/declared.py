"""What openapi.yaml says of an operation's answers, for those who compare answers with it."""

import yaml

from harness import ROOT

DESCRIPTION = yaml.safe_load((ROOT / "openapi.yaml").read_text())
# Of the connection and the body, which a description says by other means (OpenAPI 3.1, Response Object).
OF_THE_MESSAGE = {"connection", "content-length", "content-type", "date", "transfer-encoding"}


def resolved(node):
    """What a node stands for, or the node itself."""
    while "$ref" in node:
        steps, node = node["$ref"].removeprefix("#/").split("/"), DESCRIPTION
        for step in steps:
            node = node[step]
    return node


def undeclared(method, path, status, headers):
    """What an answer has that is not declared, or lacks though it is required; empty where all is well."""
    responses = DESCRIPTION["paths"][path][method.lower()]["responses"]
    if str(status) not in responses:
        return [f"status {status}"]
    declared = {name.lower(): resolved(one) for name, one in resolved(responses[str(status)]).get("headers", {}).items()}
    names = {name.lower() for name in headers} - OF_THE_MESSAGE
    required = {name for name, header in declared.items() if header.get("required")}
    return sorted(names - declared.keys()) + [f"no {name}" for name in sorted(required - names)]
