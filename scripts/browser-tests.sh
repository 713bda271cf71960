#!/usr/bin/env bash
# Runs tests/browser in Chromium against a gateway of its own, on a free port, with an empty DATA_DIR that is gone
# afterwards, then the scenarios, which find its phrases rendered, and then the working days, each with a gateway of its
# own. The debug binary: the other tests have built most of it, a release build takes a quarter of an hour.
#   scripts/browser-tests.sh [BINARY]
# PEOPLE=1: the people on live calls alone, who is put through, and the kills in mid-call; a quarter of an hour for both databases. They
# are no part of the rest: calls with sound that is checked by correlation want a machine that does nothing else.
# PHRASES: a folder of phrases that the same build rendered, which saves its gateway most of a minute.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$ROOT"

CHROMIUM=${CHROMIUM:-$(command -v chromium chromium-browser google-chrome | head -n1 || true)}
[ -n "$CHROMIUM" ] || fail "no Chromium for the browser tests; run scripts/install.sh test, or name one in CHROMIUM"
gateway=${1:-$TARGET/debug/quandura}
[ -x "$gateway" ] || fail "$gateway is missing; run: cargo build -p gateway"

# Calls with sound wait for no disk, nor does a browser whose shared memory is on one: what others write holds both up for seconds.
shared=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n1)
if [ -n "${PEOPLE:-}" ] && [ "${shared:-0}" -gt 4000000 ]; then export TMPDIR=/dev/shm; fi
data=$(mktemp -d)
[ -z "${PHRASES:-}" ] || cp -r "$PHRASES" "$data/phrases"
pid=
finish() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  rm -rf "$data"
}
trap finish EXIT

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
# Real telephone speech. Any clear English sentence does: the tests compare the words that were heard with those
# that were said, and look for a turn, not for a certain answer.
prompt=cannot-complete-as-dialed
QUANDURA_WAV=$ROOT/target/prompts/en/$prompt.wav
[ -f "$QUANDURA_WAV" ] || fail "$QUANDURA_WAV is missing; run: scripts/prompts.sh"
QUANDURA_WORDS=$(sed -n "s/^$prompt: *//p" "$ROOT/target/prompts/en.txt")
[ -n "$QUANDURA_WORDS" ] || fail "target/prompts/en.txt has no words for $prompt; run: scripts/prompts.sh"
QUANDURA_URL=http://127.0.0.1:$port
# Where people sign in with a provider outside, work a whole day, or are on live calls, the test starts a gateway of its own.
QUANDURA_BINARY=$(realpath "$gateway")
export CHROMIUM QUANDURA_BINARY QUANDURA_URL QUANDURA_WAV QUANDURA_WORDS
# Browser, callers and gateway share this machine: that it is busy is no reason to refuse a call.
printf '[limits]\nrefuse_when_strained = false\nmax_calls = 12\n' >"$data/quandura.toml"
env -u TWILIO_AUTH_TOKEN -u PUBLIC_URL BIND="127.0.0.1:$port" DATA_DIR="$data" MODELS_DIR="${MODELS_DIR:-$ROOT/models}" \
  "$gateway" serve --config "$data/quandura.toml" >"$data/log" 2>&1 &
pid=$!

cd "$ROOT/tests/browser"
npm ci --no-audit --no-fund --loglevel=error || fail "npm ci failed in tests/browser (above)"
# browse AT_ONCE SECONDS FILES…: each file has a browser of its own, and so long. What failed is told last, where it is read.
browse() {
  local at_once=$1 seconds=$2
  shift 2
  node --test --test-concurrency="$at_once" --test-timeout="${seconds}000" --test-reporter=spec "$@" | tee "$data/browsed" || {
    tail -n 20 "$data/log" >&2
    sed -n '/^✖ failing tests/,$p' "$data/browsed" >&2
    fail "browser tests failed (above)"
  }
}
# Sound, and what is timed, has the machine to itself; so have the working days, which come last. The rest has a gateway that
# is a mock, and waits for nobody.
timed=() quick=()
for file in *.test.mjs; do
  case $file in
    attention.* | phone.* | gateway.*) timed+=("$file") ;;
    kills.* | people.* | transfers.* | working-day.*) ;;
    *) quick+=("$file") ;;
  esac
done
[ -n "${PEOPLE:-}" ] || browse 2 300 "${quick[@]}"
cd "$ROOT"

ready=
for _ in $(seq 240); do # two minutes: the first start also renders the fixed phrases
  kill -0 "$pid" 2>/dev/null || { tail -n 20 "$data/log" >&2; fail "the gateway ended at its start (above)"; }
  node -e 'fetch(process.env.QUANDURA_URL + "/ready").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))' && ready=yes && break
  sleep 0.5
done
[ -n "$ready" ] || { tail -n 20 "$data/log" >&2; fail "the gateway was not ready within two minutes (above)"; }
QUANDURA_MODELS=$(realpath "${MODELS_DIR:-$ROOT/models}")
export QUANDURA_MODELS QUANDURA_PHRASES=$data/phrases
if [ -n "${PEOPLE:-}" ]; then
  # The gateway that rendered the phrases is not needed beside their own.
  { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  pid=
  (cd tests/browser && browse 1 900 people.test.mjs transfers.test.mjs kills.test.mjs)
  exit
fi
QUANDURA_SIGNIN=$(BIND="127.0.0.1:$port" DATA_DIR="$data" "$gateway" user link | grep -o 'http[^[:space:]]*' | head -n1) ||
  fail "the gateway gave no sign-in link"
export QUANDURA_SIGNIN

(cd tests/browser && browse 1 300 "${timed[@]}")

say "scenarios, several at once"
report=$TARGET/test-logs/scenarios
# All that ship but those that are told apart for a nightly run (docs/guides/scenarios.md).
mapfile -t shipped < <(grep -L '^tags:.*\bnightly\b' scenarios/*.yaml)
env -u TWILIO_AUTH_TOKEN -u PUBLIC_URL DATA_DIR="$data" MODELS_DIR="${MODELS_DIR:-$ROOT/models}" \
  "$gateway" test "${shipped[@]}" --jobs 6 --retries 1 --url "$QUANDURA_URL" --html "$report" --junit "$report.xml" 2>&1 |
  tee "$data/scenarios" || {
  tail -n 20 "$data/log" >&2
  sed -n '/ FAILED /,/^\[/p' "$data/scenarios" >&2
  fail "scenarios failed (above; with sound in $report/index.html)"
}

# Nothing else runs beside them: each has a gateway of its own, a browser and a dozen calls.
{ kill "$pid" && wait "$pid"; } 2>/dev/null || true
pid=
(cd tests/browser && browse 1 900 working-day.test.mjs)
