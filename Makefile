# Two commands: `make demo` does the main job on real input, `make test` executes all tests.
# Both install what they need, or say what to install.

# Debian's own Python first: version managers put a slow wrapper in front of theirs.
DEMO_PATH := /usr/bin:$(PATH)
TACHO := target/debug/tacho

.PHONY: help demo test faults web bench fuzz release study clean-demo

help:
	@echo 'make demo    track twelve releases of a real package and leave a page to open'
	@echo 'make test    execute all tests, those in the browser included'
	@echo 'make faults  kill commands, fill their disk and cut their power, at 20 places each'
	@echo 'make web     build the front end (web/dist) from its sources; needs Node.js'
	@echo 'make bench   our own speed, printed'
	@echo 'make fuzz    feed random input to every parser, a minute each'
	@echo 'make study NAME=S0   a study of studies/, measured on this machine; NAME=all: all of them'
	@echo 'make release a static program with completions and manual pages: dist/tacho-*.tar.gz'

# What measures and judges is optimised in this profile too; the rest only waits and prints. The
# build takes half the time, and `make test` goes on from there.
demo:
	@.ci/setup demo
	cargo build --quiet --package tacho
	PATH="$(DEMO_PATH)" $(TACHO) track --plan demo/tacho.toml
	$(TACHO) site --plan demo/tacho.toml demo/site

test: web/node_modules/.installed
	@.ci/setup test
	TACHO_REQUIRE_POSTGRES=1 cargo test --workspace --quiet
	cd web && npm run --silent check && npm test --silent
	node --test tests/browser/*.test.mjs

# `benches/faults.py` alone walks 200 places of each command and fault. With an example, Cargo
# chooses the features that `cargo test` does, so that nothing is compiled again after the tests.
faults:
	cargo build --quiet --workspace --bin tacho --example fixture
	benches/faults.py --places 20 --mixed

web: web/node_modules/.installed
	cd web && npm run --silent build

web/node_modules/.installed: web/package.json web/package-lock.json
	@.ci/setup test
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

bench:
	cargo bench --workspace --quiet

# For every night. Needs a C++ compiler.
fuzz:
	fuzz/run 60

# Each study has its own script; KEEP=1 keeps its numbers for the book.
study:
	@if [ "$(NAME)" = all ]; then exec studies/all.sh; fi; \
	test -x studies/$(NAME)/run.sh || { \
	  echo 'error: no such study' >&2; \
	  echo "hint: make study NAME=all|$$(cd studies && ls -d */run.sh | cut -d/ -f1 | paste -sd'|')" >&2; exit 2; }; \
	studies/$(NAME)/run.sh

# A static program, which needs nothing of the machine that it is executed on.
MACHINE := $(shell uname -m)
MUSL := $(MACHINE)-unknown-linux-musl
VERSION := $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
ARCHIVE := tacho-$(VERSION)-$(MACHINE)-linux

release:
	@.ci/setup release
	@rustup target add $(MUSL) || { \
	  echo 'error: the standard library for $(MUSL) is not installed' >&2; \
	  echo 'hint: with a network: rustup target add $(MUSL)' >&2; exit 2; }
	CC_$(subst -,_,$(MUSL))=musl-gcc cargo build --profile dist --locked --package tacho --target $(MUSL)
	rm -rf dist/tacho dist/$(ARCHIVE).tar.gz
	mkdir -p dist/tacho/bin dist/tacho/share/man/man1 dist/tacho/share/doc/tacho
	install -m 755 target/$(MUSL)/dist/tacho dist/tacho/bin/tacho
	strip dist/tacho/bin/tacho
	mkdir -p dist/tacho/share/bash-completion/completions dist/tacho/share/zsh/site-functions dist/tacho/share/fish/vendor_completions.d
	dist/tacho/bin/tacho generate completions bash > dist/tacho/share/bash-completion/completions/tacho
	dist/tacho/bin/tacho generate completions zsh > dist/tacho/share/zsh/site-functions/_tacho
	dist/tacho/bin/tacho generate completions fish > dist/tacho/share/fish/vendor_completions.d/tacho.fish
	dist/tacho/bin/tacho generate man dist/tacho/share/man/man1
	cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT dist/tacho/share/doc/tacho/
	tar -C dist -czf dist/$(ARCHIVE).tar.gz --transform 's,^tacho,$(ARCHIVE),' --owner=0 --group=0 tacho
	@echo "dist/$(ARCHIVE).tar.gz"

clean-demo:
	rm -rf demo/.tacho demo/site
