#!/usr/bin/env bash
# The demo of `make demo`: a data directory with a project, keys and a catalogue; a server; one launch over
# HTTP and its verification. What it makes is kept in .demo, so a second run starts from there.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$1
port=${PORT:-8080}
operations_port=${OPERATIONS_PORT:-9464}
project=67b6f2a9688f4a05db0a1d45
here=.demo
umask 077
mkdir -p "$here"

launchlink() { "$program" --data-directory "$here/data" "$@"; }
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# Keeps a new API key of a scope as the header line that curl reads: a secret does not belong on a command line.
header() {
  local file=$here/$1.header
  if [ ! -s "$file" ]; then
    launchlink key create --scope "$1" --project "$project" --name "Demo $1" --output json |
      sed -n 's/.*"api_key" *: *"\([^"]*\)".*/Authorization: Bearer \1/p' >"$file"
  fi
  echo "$file"
}

post() { # path, header file; the body comes on stdin
  curl --silent --show-error --fail-with-body --header @"$2" --header 'Content-Type: application/json' \
    --data-binary @- "http://127.0.0.1:$port$1"
}

for taken in "$port" "$operations_port"; do
  if (: <"/dev/tcp/127.0.0.1/$taken") 2>/dev/null; then
    echo "Port $taken is in use. Choose others: make demo PORT=8081 OPERATIONS_PORT=9465" >&2
    exit 69
  fi
done

say "A project with its keys, and the sample catalogue, in $here"
launchlink init
if ! launchlink project show "$project" >/dev/null 2>&1; then
  echo "demo-web-api-key-0123456789abcdef" |
    launchlink project create --id "$project" --name "Acme" --web-api-key-file - --key-delivery gateway
fi
launch_header=$(header launch)
verify_header=$(header verify)
echo "The demo's API keys are kept in $launch_header and $verify_header."
launchlink catalog import Config/catalog.sample.csv

say "The server"
# Not by the function above, which would run in a shell of its own: the signal must reach the program.
"$program" --data-directory "$here/data" serve \
  --listen "127.0.0.1:$port" --operations-listen "127.0.0.1:$operations_port" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" || true' EXIT
trap 'exit 0' INT TERM
until curl --silent --fail --output /dev/null "http://127.0.0.1:$operations_port/readyz"; do
  kill -0 "$server" 2>/dev/null || { echo "The server did not start." >&2; exit 69; }
  sleep 0.1
done

request='{"user_id":"USER-123","platform":"IOS","page":"program","business_id":"11st"}'
say "POST /launch $request"
launch=$(post /launch "$launch_header" <<<"$request")
echo "$launch"

# A launch's headers hold no nested object, so their text can be cut out whole.
part() { sed -n "s/.*\"$1\" *: *\($2\).*/\1/p" <<<"$launch"; }
say "POST /verify, as a gateway asks when the app's web view arrives"
post /verify "$verify_header" \
  <<<"{\"method\":\"GET\",\"url\":$(part url '"[^"]*"'),\"headers\":$(part headers '{[^}]*}')}"
echo

if [ "${ONCE:-}" != 1 ]; then
  say "Serving on http://127.0.0.1:$port until interrupted (Ctrl-C). Try:"
  echo "  curl -H @$launch_header http://127.0.0.1:$port/whoami"
  wait "$server"
fi
