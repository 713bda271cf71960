#!/usr/bin/env bash
# Builds the console into gateway/console/dist, from where the binary embeds it.
#   scripts/console.sh         installs its packages and builds; each only when something changed
#   scripts/console.sh test    type check, lint and unit tests
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
only_one console
cd "$ROOT/gateway/console"

# npm keeps a copy of the lock file that it installed; it is newer than ours when nothing changed.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing the console's packages"
  npm ci --no-audit --no-fund --loglevel=error || fail "npm ci failed in gateway/console (above)"
  touch node_modules/.package-lock.json
fi

if [ "${1:-}" = test ]; then
  npm test --silent || fail "the console's checks failed (above)"
  exit
fi

newer=$(find . \( -name node_modules -o -name dist \) -prune -o -type f -newer dist/.built -print -quit 2>/dev/null) || newer=all
if [ ! -e dist/index.html ] || [ ! -e dist/.built ] || [ -n "$newer" ]; then
  say "building the console"
  began=$(mktemp) # older than any edit made while Vite works
  npm run build --silent || fail "the console did not build (above)"
  mv "$began" dist/.built
fi
