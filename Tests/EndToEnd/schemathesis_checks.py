"""A check that schemathesis has not got: an answer has no header that openapi.yaml does not declare."""

import schemathesis

from declared import undeclared


@schemathesis.check
def undeclared_headers(ctx, response, case):
    # Other methods than those that are described are 405, which no operation can declare.
    if response.status_code == 405:
        return
    found = undeclared(case.operation.method, case.operation.path, response.status_code, response.headers)
    assert not found, f"undeclared in the {response.status_code}: {', '.join(found)}"
