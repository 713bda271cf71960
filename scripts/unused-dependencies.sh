#!/usr/bin/env bash
# Names dependencies that no file of their crate mentions; fails when there is one.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$ROOT"

found=
for manifest in $(git ls-files '*Cargo.toml'); do
  [ "$manifest" != Cargo.toml ] || continue
  folder=$(dirname "$manifest")
  # A crate's own files, without those of crates inside its folder.
  inner=$(git ls-files "$folder/*/Cargo.toml" | xargs -r -n1 dirname | sed 's#^#:!#')
  # shellcheck disable=SC2086
  files=$(git ls-files "$folder/*.rs" $inner)
  # Files of another crate that are modules here too.
  # shellcheck disable=SC2086
  others=$({ grep -HoE '#\[path = "\.\./[^"]+"' $files || true; } | sed 's/:#\[path = "/ /; s/"$//' | while read -r file path; do
    # With what stands in a folder of its name.
    realpath -m --relative-to=. "$(dirname "$file")/$path" | sed 's#/mod\.rs$#/*.rs#; p; s#\.rs$#/*.rs#'
  done)
  # shellcheck disable=SC2086
  [ -z "$others" ] || files+=" $(git ls-files $others)"
  # Each section by its own header: a range up to the next one would swallow a section that begins there.
  for name in $(awk '/^\[/ { on = /^\[(dev-|build-)?dependencies\]/ } on && /^[a-z0-9_-]+(\.workspace)? *=/ { sub(/(\.workspace)? *=.*/, ""); print }' "$manifest"); do
    word=${name//-/_}
    # shellcheck disable=SC2086
    grep -qE "(^|[^a-z0-9_:])(::)?$word(::|;| as |!)|[^a-z0-9_]use $word\b" $files || found+="$folder: $name"$'\n'
  done
done
for name in $(sed -n '/^\[workspace.dependencies\]/,/^\[workspace.lints/s/^\([a-z0-9_-]\+\) *=.*/\1/p' Cargo.toml); do
  # shellcheck disable=SC2046
  grep -qE "^$name(\.workspace)? *=" $(git ls-files '*/Cargo.toml') || found+="workspace: $name"$'\n'
done
[ -z "$found" ] || fail "nothing uses these dependencies; take them out:
$found"
