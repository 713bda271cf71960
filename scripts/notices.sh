#!/usr/bin/env bash
# Third-party notices, as the binary and the image carry them (`quandura notices`).
#   scripts/notices.sh         writes gateway/data/third-party-notices.txt; needs cargo-about, and installs it if need be
#   scripts/notices.sh check   fails when a crate that the gateway is built from is missing there
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$ROOT"
notices=gateway/data/third-party-notices.txt

case ${1:-write} in
write)
  if ! command -v cargo-about >/dev/null; then
    say "installing cargo-about"
    cargo install cargo-about --version 0.9.3 --locked --features cli --root "$TOOLS"
  fi
  cargo about generate --offline --locked --fail -c .cargo/about.toml -m gateway/Cargo.toml -o "$notices" .cargo/about.hbs
  # Texts come with all kinds of line ends; one kind is enough.
  sed -i 's/\r$//; s/[[:space:]]*$//' "$notices"
  ;;
check)
  crates=$(cargo tree --locked --offline -p gateway -e normal --target x86_64-unknown-linux-gnu --prefix none --format '{p}' |
    sed -nE 's/^([a-z0-9_-]+) v([^ ]+)( \(proc-macro\))?( \(\*\))?$/\1 \2/pI' | sort -u)
  missing=$(comm -23 <(printf '%s\n' "$crates") <(sed -nE 's/^([a-z0-9_-]+ [0-9][^ ]*)(  .*)?$/\1/pI' "$notices" | sort -u))
  [ -z "$missing" ] || fail "the third-party notices lack these crates; run scripts/notices.sh:
$missing"
  ;;
*) fail "usage: scripts/notices.sh [check]" ;;
esac
