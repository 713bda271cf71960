#!/bin/sh
# The compiler of our crates in scripts/test.sh (RUSTC_WORKSPACE_WRAPPER): clippy, but for a library as others use it. All that stands in
# one is linted where it is compiled with its tests, and clippy switches off a part of the optimizer.
case " $* " in
*" --test "*) ;;
*" --crate-type lib "*) exec "$@" -D warnings ;;
esac
exec "$CLIPPY_DRIVER" "$@"
