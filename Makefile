# Two commands: `make demo` does the main job on real input, `make test` executes all tests.
# Both install what they need, or say what to install.

# Debian's own Python first: version managers put a slow wrapper in front of theirs.
DEMO_PATH := /usr/bin:$(PATH)
TACHO := target/release/tacho

.PHONY: help demo test web bench clean-demo

help:
	@echo 'make demo    track twelve releases of a real package and leave a page to open'
	@echo 'make test    execute all tests, those in the browser included'
	@echo 'make web     build the front end (web/dist) from its sources; needs Node.js'
	@echo 'make bench   our own speed, printed'

demo:
	@.ci/setup demo
	cargo build --release --quiet --package tacho
	PATH="$(DEMO_PATH)" $(TACHO) track --plan demo/tacho.toml
	$(TACHO) site --plan demo/tacho.toml demo/site

test: web/node_modules/.installed
	@.ci/setup test
	TACHO_REQUIRE_POSTGRES=1 cargo test --workspace --quiet
	cd web && npm run --silent check && npm test --silent
	node --test tests/browser/*.test.mjs

web: web/node_modules/.installed
	cd web && npm run --silent build

web/node_modules/.installed: web/package.json web/package-lock.json
	@.ci/setup test
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

bench:
	cargo bench --workspace --quiet

clean-demo:
	rm -rf demo/.tacho demo/site
