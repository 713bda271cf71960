# Sourced by the other scripts: where things are, how they speak, how they stop.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Tools that no Debian package brings, for this working copy alone.
TOOLS=$ROOT/.tools
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
[[ $TARGET = /* ]] || TARGET=$ROOT/$TARGET
export ROOT TOOLS TARGET
# A system tool that is new enough goes first. rustup's folder goes last, for a shell opened before rustup came.
export PATH=$TOOLS/bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
# Without a terminal the marks would only clutter a log.
[ -t 1 ] || say() { printf '==> %s\n' "$*"; }

# One line: what is wrong, and what to do about it.
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# One at a time: two `make` in the same working copy must not write the same files.
only_one() {
  mkdir -p "$TOOLS" 2>/dev/null || true
  [ -w "$TOOLS" ] || fail "no right to write to $TOOLS; take it back with: sudo chown -R \"\$USER\" '$ROOT'"
  exec 9>"$TOOLS/lock.$1"
  flock -n 9 || {
    say "waiting for another run of $1 to end"
    flock 9
  }
}
