# Everything sets itself up in the checkout (.venv*); only Python 3.11 with venv is needed. PYTHON=... chooses another one.
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-stack stack dashboards dashboards-preview lint bench bench-collector lock clean

SETUP = python=$$(sh tools/python.sh) && "$$python" tools/environment.py
IN_VENV = .venv/bin/python

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

demo: ## run the demo agent and show its trail (offline, under 20 s once installed)
	@$(SETUP) .venv requirements/dev.txt
	@.venv/bin/hookspan demo

test: ## lint, types and all tests, on every environment that this machine can have (up to 15 minutes)
	@$(SETUP) .venv requirements/dev.txt
	@$(IN_VENV) tools/check.py test

test-fast: ## the tests that are not slow, on the main environment (under 3 minutes)
	@$(SETUP) .venv requirements/dev.txt
	@$(IN_VENV) tools/check.py fast

test-stack: ## the trail through the real collector, Jaeger and Prometheus, built from Go modules
	@$(SETUP) .venv requirements/dev.txt
	@$(IN_VENV) tools/check.py stack

stack: ## collector, Jaeger and Prometheus on this machine, without Docker, until Ctrl-C
	@programs=$$(sh collector/build/build.sh | tail -n 1) && [ -n "$$programs" ] && python3 collector/local.py "$$programs" .stack

dashboards: ## write the boards anew (dashboards/boards)
	@$(SETUP) .venv requirements/dev.txt
	@PYTHONPATH=. $(IN_VENV) -m dashboards.generate

dashboards-preview: ## the boards as pictures (dashboards/pictures), over the demo, without Grafana
	@$(SETUP) .venv requirements/dev.txt
	@STACK_PROGRAMS=$$(sh collector/build/build.sh | tail -n 1) PREVIEW_CHROMIUM=$$(sh dashboards/preview/setup.sh | tail -n 1) \
		&& export STACK_PROGRAMS PREVIEW_CHROMIUM && PYTHONPATH=. $(IN_VENV) -m tests.stack.preview dashboards/pictures

lint: ## ruff and pyright
	@$(SETUP) .venv requirements/dev.txt
	@$(IN_VENV) tools/check.py lint

bench: ## overhead beside the peers; writes bench/results
	@$(SETUP) .venv-peers requirements/peers.txt
	@.venv-peers/bin/python bench/run.py

bench-collector: ## the audit collector's speed, losses and sizes; writes bench/results
	@$(SETUP) .venv requirements/dev.txt
	@programs=$$(sh collector/build/build.sh | tail -n 1) && for what in speed loss size; do $(IN_VENV) bench/audit_collector.py $$what --programs "$$programs" || exit 1; done

lock: ## compile requirements/*.txt anew
	@$(SETUP) .venv requirements/dev.txt
	@sh tools/lock.sh

clean: ## remove the environments and reports of this checkout
	rm -rf .venv .venv313 .venv-oldest .venv-peers .reports .stack
