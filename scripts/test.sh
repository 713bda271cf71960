#!/usr/bin/env bash
# Everything that must hold before a change lands, from a fresh machine on. Ends with one line of totals.
#   scripts/test.sh            all of it
#   scripts/test.sh lint       formats and lints only
#   scripts/test.sh deny       dependencies only
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$ROOT"
log=$TARGET/test-logs

lints() {
  say "formats and shell scripts"
  cargo fmt --all --check >/dev/null || fail "the Rust code is not formatted; run: make fmt"
  shellcheck -x -S warning scripts/*.sh .ci/run || fail "shellcheck found faults (above)"
  say "dependencies that nothing uses"
  scripts/unused-dependencies.sh || exit 1
  say "clippy"
  cargo clippy --locked --workspace --all-targets --quiet -- -D warnings || fail "clippy found faults (above)"
  say "console: types, lints, unit tests"
  scripts/console.sh test 2>&1 | tee "$log/console"
}

dependencies() {
  say "dependencies: licences, bans, sources"
  cargo fetch --locked --quiet || fail "could not fetch the dependencies; check the network and Cargo.lock" # of all platforms
  cargo deny --offline --log-level error check licenses bans sources ||
    fail "a dependency breaks .cargo/deny.toml (above)"
  # Known faults need the advisory database, which is a git repository and no package of a registry.
  if [ -n "$(find "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" -mindepth 1 -maxdepth 1 2>/dev/null)" ]; then
    cargo deny --offline --log-level error check advisories ||
      fail "a dependency has a known fault (above)"
  else
    say "skipped: known faults of dependencies, for want of an advisory database (cargo deny fetch brings one)"
  fi
}

# Sum of the numbers that a sed script finds, one a line, in a log.
count() { sed 's/\x1b\[[0-9;]*m//g' "$2" | sed -nE "$1" | awk '{ n += $1 } END { print n + 0 }'; }

mkdir -p "$log"
scripts/install.sh test
case ${1:-all} in
lint) lints && exit ;;
deny) dependencies && exit ;;
all) ;;
*) fail "usage: scripts/test.sh [lint|deny]" ;;
esac

scripts/models.sh
scripts/prompts.sh
scripts/console.sh
lints
dependencies
say "unit and integration tests"
cargo test --locked --workspace --doc --quiet || fail "an example in the documentation fails (above)"
cargo nextest run --locked --workspace --no-fail-fast 2>&1 | tee "$log/nextest" || fail "tests failed (above)"
say "browser tests, and the quick scenarios"
cargo build --locked --workspace --bin quandura
scripts/browser-tests.sh 2>&1 | tee "$log/browser" || exit 1

rust=$(count 's/^ *Summary .* ([0-9]+) passed.*/\1/p' "$log/nextest")
unit=$(count 's/^ *Tests(.*[^0-9])([0-9]+) passed.*/\2/p' "$log/console")
browser=$(count 's/^(ℹ|#) pass ([0-9]+).*/\2/p' "$log/browser")
scenarios=$(count 's/^\[[0-9]+\/([0-9]+)\] .*/1/p' "$log/browser")
for part in "$rust" "$unit" "$browser" "$scenarios"; do
  [ "$part" -gt 0 ] ||
    fail "a part ran no test: $rust in Rust, $unit in the console, $browser in the browser, $scenarios scenarios"
done
skipped=$(count 's/^(ℹ|#) (skipped|todo|cancelled) ([0-9]+).*/\3/p' "$log/browser")
[ "$skipped" -eq 0 ] || fail "$skipped browser tests did not run; what cannot run has not passed"
say "all is well: $rust tests in Rust, $unit in the console, $browser in the browser, $scenarios scenarios"
echo "$((rust + unit + browser + scenarios)) passed, 0 failed"
