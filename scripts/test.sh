#!/usr/bin/env bash
# Everything that must hold before a change lands, from a fresh machine on. Ends with one line of totals.
#   scripts/test.sh            all of it
#   scripts/test.sh lint       formats and lints only
#   scripts/test.sh deny       dependencies only
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$ROOT"
log=$TARGET/test-logs

formats() {
  phase "formats, shell scripts, dependencies that nothing uses"
  cargo fmt --all --check >/dev/null || fail "the Rust code is not formatted; run: make fmt"
  shellcheck -x -S warning scripts/*.sh .ci/run || fail "shellcheck found faults (above)"
  scripts/unused-dependencies.sh || exit 1
}

console_checks() {
  phase "console: types, lints, unit tests"
  scripts/console.sh test 2>&1 | tee "$log/console"
}

dependencies() {
  phase "dependencies: licences, bans, sources"
  cargo fetch --locked --quiet || fail "could not fetch the dependencies; check the network and Cargo.lock" # of all platforms
  cargo deny --offline --log-level error check licenses bans sources ||
    fail "a dependency breaks .cargo/deny.toml (above)"
  scripts/notices.sh check || exit 1
  # Known faults need the advisory database, which is a git repository and no package of a registry. A fetch that failed
  # leaves a lock file there and no more.
  if [ -n "$(find "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null)" ]; then
    cargo deny --offline --log-level error check advisories ||
      fail "a dependency has a known fault (above)"
  else
    say "skipped: known faults of dependencies, for want of an advisory database (cargo deny fetch brings one)"
  fi
}

# Sum of the numbers that a sed script finds, one a line, in a log.
count() { sed 's/\x1b\[[0-9;]*m//g' "$2" | sed -nE "$1" | awk '{ n += $1 } END { print n + 0 }'; }

# Crates whose tests wait for nobody. In a process of its own each test would load what all of them read, three times the work.
PURE=(agents dialogue governance knowledge language models telephony work)

# Where they run, and what; a line each.
pure_tests() {
  cargo test --locked --workspace --lib --no-run --quiet --message-format=json | python3 -c '
import json, os, sys
for told in map(json.loads, sys.stdin):
    if told.get("executable") and told["target"]["name"] in sys.argv[1:]:
        print(os.path.dirname(told["manifest_path"]), told["executable"])' "${PURE[@]}"
}

# Runs them one crate after the other, by what the tests beside them leave of the machine.
run_pure_tests() {
  local folder tests failed=0
  # The stack is that of .cargo/config.toml.
  while read -r folder tests; do
    (cd "$folder" && RUST_MIN_STACK=8388608 nice -n 19 timeout 900 "$tests" --quiet) || failed=1
  done <<<"$1"
  return "$failed"
}

# What it takes from here on is one row of the table at the end.
spent=() current=
phase() {
  [ -z "$current" ] || spent+=("$(printf '%5d s  %s' $((SECONDS - since)) "$current")")
  current=$1 since=$SECONDS
  [ -z "$1" ] || say "$1"
}

mkdir -p "$log"
case ${1:-all} in all | lint | deny) ;; *) fail "usage: scripts/test.sh [lint|deny]" ;; esac
# A disk that fills up kills the linker with a bus error, which names no cause.
room() {
  local need=12 free
  [ ! -e "$TARGET/debug/deps" ] || need=4
  free=$(($(df --output=avail -k "$TARGET" | tail -1) / 1024 / 1024))
  [ "$free" -ge "$need" ] ||
    fail "$free GB are free where $TARGET is, and building the tests takes $need; free some (cargo clean), or set CARGO_TARGET_DIR to another disk"
}

phase "packages and tools"
room
scripts/install.sh test
case ${1:-all} in
lint)
  formats
  phase "clippy"
  cargo clippy --locked --workspace --all-targets --quiet -- -D warnings || fail "clippy found faults (above)"
  console_checks
  exit
  ;;
deny) dependencies && exit ;;
esac

# The network and the compiler need not wait for each other.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
{ scripts/models.sh && scripts/prompts.sh; } >"$log/models" 2>&1 &
models=$!
phase "console"
scripts/console.sh
formats
console_checks
dependencies

# Clippy is the compiler of the tests: by a run of its own each crate of ours would be read twice, and each crate of others
# compiled twice. Everything that runs below is named here, so that dependencies are built with one set of features.
phase "building and linting everything"
CLIPPY_DRIVER=$(rustc --print sysroot)/bin/clippy-driver
RUSTC_WORKSPACE_WRAPPER=$ROOT/scripts/compiler.sh
CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
export CLIPPY_DRIVER RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
cargo build --locked --workspace --tests --examples --bin quandura || fail "the compiler or clippy found faults (above)"
wait "$models" || { cat "$log/models"; fail "models or sound files are missing (above)"; }
phase "examples in the documentation"
cargo test --locked --workspace --doc --quiet || fail "an example in the documentation fails (above)"
phase "unit and integration tests"
units=$(pure_tests)
[ "$(wc -l <<<"$units")" -eq ${#PURE[@]} ] || fail "not all of these crates have tests: ${PURE[*]}"
run_pure_tests "$units" >"$log/pure" 2>&1 &
beside=$!
here=$(printf ' | package(%s)' "${PURE[@]}")
cargo nextest run --locked --workspace --no-fail-fast -E "not (kind(lib) & (${here# | }))" 2>&1 | tee "$log/nextest" ||
  fail "tests failed (above)"
wait "$beside" || { cat "$log/pure"; fail "tests failed (above)"; }
phase "browser tests, and the scenarios"
PHRASES=$(find "$ROOT/target/test-phrases" -mindepth 1 -maxdepth 1) scripts/browser-tests.sh 2>&1 | tee "$log/browser" || exit 1
phase ""

rust=$(count 's/^ *Summary .* ([0-9]+) passed.*/\1/p' "$log/nextest")
pure=$(count 's/^test result: ok\. ([0-9]+) passed.*/\1/p' "$log/pure")
rust=$((rust + pure))
unit=$(count 's/^ *Tests(.*[^0-9])([0-9]+) passed.*/\2/p' "$log/console")
browser=$(count 's/^(ℹ|#) pass ([0-9]+).*/\2/p' "$log/browser")
scenarios=$(count 's/^\[[0-9]+\/([0-9]+)\] .*/1/p' "$log/browser")
for part in "$pure" "$((rust - pure))" "$unit" "$browser" "$scenarios"; do
  [ "$part" -gt 0 ] ||
    fail "a part ran no test: $rust in Rust, $unit in the console, $browser in the browser, $scenarios scenarios"
done
skipped=$(count 's/^(ℹ|#) (skipped|todo|cancelled) ([0-9]+).*/\3/p' "$log/browser")
[ "$skipped" -eq 0 ] || fail "$skipped browser tests did not run; what cannot run has not passed"
printf '%s\n' "${spent[@]}"
say "all is well: $rust tests in Rust, $unit in the console, $browser in the browser, $scenarios scenarios"
echo "$((rust + unit + browser + scenarios)) passed, 0 failed"
