#!/usr/bin/env bash
# Brings Debian's telephone prompts, which the speech bench measures with, into target/prompts.
#
#   scripts/prompts.sh [FOLDER]
#
# English with transcripts, and Spanish (CC-BY-SA 3.0, by the Asterisk project). Needs Debian's apt-get and dpkg.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prompts=${1:-$here/../target/prompts}
packages="asterisk-core-sounds-en asterisk-core-sounds-en-wav asterisk-core-sounds-es-wav"

fail() { echo "prompts: $*" >&2; exit 1; }

if [ -f "$prompts/.complete" ]; then echo "prompts: complete in $prompts"; exit; fi
command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "apt-get and dpkg are needed (Debian or Ubuntu)"
mkdir -p "$prompts" || fail "cannot make the folder $prompts"
prompts=$(cd "$prompts" && pwd)
work=$(mktemp -d "$prompts/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "prompts: downloading $packages (42 MB)"
(cd "$work" && apt-get download $packages >log 2>&1) \
    || fail "cannot download: $(grep -m1 '^E:' "$work/log" || tail -1 "$work/log"); run apt-get update first"
for package in "$work"/*.deb; do dpkg -x "$package" "$work/x"; done
mv "$work"/x/usr/share/asterisk/sounds/en_US_f_Allison "$prompts/en"
mv "$work"/x/usr/share/asterisk/sounds/es_MX_f_Allison "$prompts/es"
gunzip -c "$work/x/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz" >"$prompts/en.txt"
touch "$prompts/.complete"
echo "prompts: complete in $prompts"
