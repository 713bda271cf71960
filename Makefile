# Two commands matter: `make run` and `make test`. `make help` lists the rest.
# The work is in scripts/; this file only says what comes before what.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Order matters more than a second core here: cargo and npm use both already.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# As in scripts/env.sh, which says why.
export PATH := $(CURDIR)/.tools/bin:$(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: help run build install models console binary test soak people bench scenarios dialogs governance ears fmt lint deny clean

help: ## List what make can do
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: build ## Install what is missing, build, and start the gateway
	@exec '$(TARGET)/release/quandura' serve

build: install models console binary ## Everything that running needs; nothing is started

install: ## Debian packages and Node.js, when missing
	@scripts/install.sh run

models: ## The speech and embedding models, checked by sha256
	@scripts/models.sh

console: ## The web console, when its sources changed
	@scripts/console.sh

binary: ## target/release/quandura (needs the console)
	@[ -x '$(TARGET)/release/quandura' ] || printf '==> building the gateway (the first time takes some minutes)\n'
	@cargo build --release --locked -p gateway

test: ## Everything: formats, lints, unit, integration and browser tests
	@scripts/test.sh

soak: ## Half an hour of calls through faults (SOAK_MINUTES, SOAK_SEED); prints a table
	@scripts/install.sh test
	@cargo nextest run --release --locked -p tests --test soak --run-ignored only --no-capture -E 'test(=long)'

people: install models console ## People on live calls, who is put through, and a gateway killed under them, on both databases, with sound (a quarter of an hour)
	@scripts/install.sh test
	@scripts/prompts.sh
	@cargo build --locked -p gateway
	@PEOPLE=1 scripts/browser-tests.sh

bench: install models console ## The benches, with the figures as a table
	@scripts/install.sh test
	@scripts/prompts.sh
	@for bench in benches/src/bin/*.rs; do \
		name=$$(basename "$$bench" .rs); case "$$name" in dialogs | ears | recorded) continue ;; esac; printf '==> %s\n' "$$name"; \
		cargo run --release --locked --quiet -p benches --bin "$$name"; \
	done

scenarios: install models console binary ## Calls as tests, a quarter of an hour (SCENARIOS: options); prints a table, and a report in target/scenarios
	@'$(TARGET)/release/quandura' test scenarios --html '$(TARGET)/scenarios' $(SCENARIOS)

dialogs: install models console ## Spoken conversations of simulated callers, an hour or more (DIALOGS: options); prints a table
	@scripts/install.sh dialogs
	@cargo run --release --locked --quiet -p benches --bin dialogs -- $(DIALOGS)

governance: console ## What guard, rules and judge catch and what they harm (GOVERNANCE: folder, --missed); prints tables
	@cargo run --release --locked --quiet -p benches --bin governance -- $(GOVERNANCE)

ears: install models console ## What each recogniser makes of the simulated callers (EARS: options); prints a table
	@scripts/install.sh dialogs
	@cargo run --release --locked --quiet -p benches --bin ears -- $(EARS)

fmt: ## Format the Rust code
	@cargo fmt --all

lint: ## rustfmt, clippy, shellcheck and the console's checks, without tests (needs the console)
	@scripts/test.sh lint

deny: ## Licences, bans, duplicates and sources of all dependencies
	@scripts/test.sh deny

clean: ## Remove what was built; models, data and tools stay
	@cargo clean
	@rm -rf gateway/console/dist gateway/console/node_modules tests/browser/node_modules
