# `make demo` and `make test` are the two commands to start with. The first needs only Go, the second also git, bash, curl
# and jq, because it runs the jobs of the documentation.
BINARY  := bin/argocd-kserve-plugin
GO      ?= go
# lint vets: what go test would vet takes a minute of CPU for each large module. Nothing vets those of e2e and hack that
# are modules of their own because they link Argo CD or KServe.
TEST    := $(GO) test -vet=off
FUZZTIME ?= 30s
# The releases of KServe that CI runs; all is every release that the suites know.
KSERVE  ?= 0.20.0,0.15.2
# The services that the suite cluster runs: InferenceService, LLMInferenceService, or all. Each release has one kind or
# both.
KIND    ?= all
# The cases of drift that CI runs: some that are quick, or all.
DRIFT   ?= quick
# The ways of Argo CD that the suite comparison tests, as release/tracking/comparison, separated by commas; * is all.
COMPARISON ?= *
# The charts of other Go modules that the suite helm renders: those of KServe, or all, which it downloads.
CHARTS  ?= kserve
# The programs that the suite hosts runs the plugin in: those that are quick to build, or all.
HOSTS   ?= quick
# What the suite knative runs: all, or smoke for one service that gets ready with each release.
KNATIVE ?= all
# A folder of manifests for make judge, instead of KServe's and the golden cases.
MANIFESTS ?=
# The package that the programs of make plan share, and their tag: it leaves out Google's gRPC modules, a tenth of a
# program, which are for storage: the programs reach no network.
CONTROLPLANE := github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane
PLANETAGS := -tags disable_grpc_modules
# What make release releases, such as v0.2.0; without it the tag of the commit.
VERSION ?=
# A folder with an image for make image-test, such as bin/release/image, instead of a build of the commit.
IMAGE   ?=
# What make race tests: the packages that start goroutines or whose values several share, or ./... for all.
RACE    ?= ./transform/... ./internal/cli ./internal/health ./internal/kubectl ./internal/watchdog ./internal/model \
	./internal/render ./internal/render/kustomize ./internal/schema
# The mutants that make proofs tests: those that are quick to build, or all; and of these those that match MUTANT.
PROOFS  ?= all
MUTANT  ?=
# How the names of the cases begin that the suite plan compares, separated by commas; all without it.
CASES   ?=
# How long the chaos test breaks things.
CHAOS   ?= 2m
# How long a suite may take, with the programs that it builds on a bare machine. .ci/run has 80 minutes for all.
LIMIT   ?= 75m
export CGO_ENABLED ?= 0

ifneq ($(words $(KSERVE)),1)
$(error "KSERVE=$(KSERVE)" is no list of releases; it has no spaces, such as 0.20.0,0.15.2)
endif

.PHONY: help build test proofs mutants evidence stale golden lint race fuzz conformance judge statuses e2e image-test release \
	release-test reproducible packed plan plan-test bench outdated site site-test demo clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 16
	@echo; echo 'The suites of make e2e:'
	@sed -n 's/^define suite-\([a-z0-9-]*\) # /\1	/p' $(MAKEFILE_LIST) | expand -t 16

build: ## build the binary
	$(GO) build -ldflags '-s -w' -o bin/ ./cmd/argocd-kserve-plugin

# The releases that have a control plane.
PLANES := $(patsubst controlplane/kserve-v%/go.mod,%,$(wildcard controlplane/kserve-v*/go.mod))
comma := ,
space := $() $()
# Those in KSERVE. A release that somebody names and that has none is an error.
planned = $(if $(filter all,$(KSERVE)),$(PLANES),$(named))
named = $(if $(filter-out file,$(origin KSERVE)),$(foreach release,$(filter-out $(PLANES),$(subst $(comma), ,$(KSERVE))),\
	$(error there is no control plane for KServe $(release), only for $(PLANES))))$(filter $(PLANES),$(subst $(comma), ,$(KSERVE)))

# What the programs embed of KServe's sources.
packed:
	$(foreach release,$(planned),$(call pack,$(release)))

plan: ## the programs with KServe's code that the command plan starts, for the releases in KSERVE, in bin (builds them)
	$(foreach release,$(planned),$(call plane,$(release)))

define pack
	$(GO) run -C hack ./pack -o ../controlplane/kserve-v$(1)/manifests \
		-kserve "$$(cd controlplane/kserve-v$(1) && $(GO) mod download github.com/kserve/kserve && \
			$(GO) list -m -f '{{.Dir}}' github.com/kserve/kserve)"

endef

# plane builds the program of a release, after it has packed what the program needs of KServe's sources.
define plane
	$(call pack,$(1))
	cd controlplane/kserve-v$(1) && $(GO) build $(PLANETAGS) -ldflags '-s -w' \
		-o ../../bin/argocd-kserve-plugin-kserve-$(1)$(shell $(GO) env GOEXE) .

endef

plan-test: build plan ## the tests of those programs (builds them)
	$(foreach release,$(planned),cd controlplane/kserve-v$(release) && \
		$(GO) vet $(PLANETAGS) ./... $(CONTROLPLANE)/... && \
		$(TEST) $(PLANETAGS) -count=1 -timeout $(LIMIT) ./... $(CONTROLPLANE)/... && cd ../.. &&) true

test: ## every test that needs neither network nor root
	$(TEST) -timeout 30m ./...

proofs: ## mutants of the program, each of which has to make the test fail that docs/evidence names as a proof
	$(call one-of,PROOFS,quick all)
	cd hack && $(TEST) ./proofs ./mutants
	$(GO) build -C hack -o ../bin/proofs ./proofs
	bin/proofs -run '$(MUTANT)' testdata/proofs/*.txtar $(if $(filter all,$(PROOFS)),testdata/proofs/slow/*.txtar)

mutants: ## moves the edges of the rules, and wants a golden case that sees it, or a reason in testdata/mutants.txt
	$(GO) build -C hack -o ../bin/mutants ./mutants
	bin/mutants -run '$(MUTANT)' -known testdata/mutants.txt

evidence: ## lists when the pages in docs/evidence were measured, and which rules have changed since
	$(GO) run -C hack ./evidence -C ..

stale: ## fails if that list differs from the pages, or if what it says of a release that CI runs is too old
	cd hack && $(TEST) ./evidence
	$(GO) run -C hack ./evidence -C .. -check

# The packages whose tests write files, apart from the two of which only one test does.
GOLDEN = $(sort $(dir $(shell grep -rl UPDATE_GOLDEN --include='*_test.go' examples/*.go internal | sed 's|^|./|')))

# The cases of the rules come first, because the pages in docs/rules show their outcome.
golden: ## write the golden files and the generated docs, then look at the difference
	UPDATE_GOLDEN=1 $(TEST) -run TestRules ./transform/rules
	UPDATE_GOLDEN=1 $(TEST) $(GOLDEN)
	UPDATE_GOLDEN=1 $(TEST) -run "TestScript|TestPages" ./cmd/argocd-kserve-plugin
	git diff --stat

# controlplane is vetted by plan-test, which has compiled the libraries that it needs.
lint: ## gofmt, go vet for Linux, macOS and Windows, also of e2e, bench and hack, staticcheck, and a tidy go.mod
	unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { gofmt -d .; exit 1; }
	$(GO) vet ./... ./cmd/cmp
	$(GO) build -C hack -o ../bin/vet ./vet
	GOOS=darwin bin/vet ./...
	GOOS=windows bin/vet ./...
	cd e2e && ../bin/vet ./...
	cd bench && ../bin/vet ./...
	cd hack && ../bin/vet ./...
	cd hack/release && ../../bin/vet ./...
	cd e2e/stream && ../../bin/vet ./...
	cd e2e/workflows && ../../bin/vet ./...
	cd examples/outside-rule && ../../bin/vet ./...
	$(GO) tool -modfile=hack/go.mod staticcheck ./...
	$(GO) mod tidy -diff

race: export CGO_ENABLED = 1
race: ## the tests of what runs goroutines under the race detector, or those of all packages (installs a C compiler)
	command -v "$$($(GO) env CC)" >/dev/null || hack/install gcc libc6-dev
	$(TEST) -race -short -timeout $(LIMIT) $(RACE)
	$(TEST) -race -short -timeout $(LIMIT) -run '^Test(Stop|ReaderGone|Wait)' ./cmd/argocd-kserve-plugin

fuzz: ## every fuzz target for FUZZTIME
	hack/fuzz $(FUZZTIME)

conformance: ## every manifest that KServe and Argo CD publish, and KServe's schemas (downloads them)
	cd e2e/stream && $(TEST) -count=1 ./...
	cd e2e/conformance && $(TEST) -count=1 ./fields
	cd e2e/conformance && $(TEST) -count=1 -timeout $(LIMIT) -skip "^TestJudge$$" -kserve-version $(KSERVE)
	$(TEST) -count=1 -run '^TestLawOfPublished$$' ./transform/rules

judge: ## KServe's own defaulters and validators over the same manifests, or those in the folder MANIFESTS (builds them)
	$(MAKE) plan KSERVE=$(KSERVE)
	cd e2e/conformance && $(TEST) -count=1 -v -timeout $(LIMIT) -run "^TestJudge$$" -kserve-version $(KSERVE) \
		-manifests "$(abspath $(MANIFESTS))"

statuses: ## let KServe's own controllers write the statuses that the health checks are tested with (builds them)
	$(MAKE) packed KSERVE=all
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) -run '^TestStatuses$$' ./health -kserve-version all -update
	git diff --stat

# What each suite of e2e runs. The comment is a line of make help.
define suite-health # the health checks in Argo CD's own programs (builds them)
	cd e2e && $(TEST) -count=1 ./health/argocd2
	cd e2e/health/argocd3 && $(TEST) -count=1 -timeout $(LIMIT) ./...
	cd e2e/health/flux && $(TEST) -count=1 ./...
	$(MAKE) packed KSERVE=$(KSERVE)
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./health -kserve-version $(KSERVE)
endef
define suite-helm # Helm charts by the plugin and by the real helm 4 and 3, object by object (builds them)
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) ./helm $(if $(filter all,$(CHARTS)),-all-modules)
endef
define suite-kustomize # kustomizations against Argo CD's own code, kustomize and helm (builds them)
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./kustomize
endef
define suite-hosts # the plugin inside kustomize, kpt, Helm, kubectl and others (builds them), and the documented workflows
	command -v pre-commit >/dev/null || hack/install pre-commit
	cd e2e/workflows && $(TEST) -count=1 ./...
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./hosts $(if $(filter all,$(HOSTS)),-all-hosts)
endef
define suite-memory # the peak memory of what takes more than it may, alone and in a cgroup (needs root for that)
	cd e2e && $(TEST) -count=1 -v -timeout 20m ./memory
endef
define suite-argocd # the plugin inside the real Argo CD (needs root; builds Argo CD)
	cd e2e/applications && $(TEST) -count=1 ./...
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./stack ./install
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) ./argocd
endef
define suite-chaos # the chaos test inside the real Argo CD, for as long as CHAOS says (needs root)
	cd e2e && $(TEST) -count=1 -v -timeout 0 -run TestChaos ./argocd -chaos-for $(CHAOS)
endef
define suite-operator # the sidecar that the real argocd-operator makes (needs root; builds it); not in CI
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) -run '^TestOperator$$' ./install/cluster -operator
endef
define suite-upstream # the reproductions in hack/upstream for KServe's maintainers (builds its agent); not in CI
	cd hack/upstream/kserve && $(TEST) -count=1 -v ./...
endef
define suite-cluster # Argo CD syncs to real KServe on a real API server (needs root; builds them all)
	$(MAKE) plan KSERVE=$(KSERVE)
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./cluster/compatibility ./install/cluster
	cd e2e && $(TEST) -count=1 -v -timeout 90m ./cluster -skip '^Test(Knative|KEDA|Scaling|Restarts|Upgrade)$$' \
		-kserve-version $(KSERVE) -kind $(KIND) -drift $(DRIFT)
endef
define suite-knative # the same in Knative mode, with Knative Serving (needs root; builds it)
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) ./cluster -kserve-version $(KSERVE) -drift $(DRIFT) \
		-run '^TestKnative$$$(if $(filter smoke,$(KNATIVE)),//^ready$$)'
endef
define suite-keda # KServe beside KEDA's operator and admission webhook (needs root; builds them all); not in CI
	cd e2e && $(TEST) -count=1 -v -timeout 90m -run '^TestKEDA$$' ./cluster -kserve-version $(KSERVE)
endef
define suite-autoscaling # HPAs that scale by a load, on a real API server, synced by Argo CD (needs root; builds them all)
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) -run '^TestScaling$$' ./cluster -kserve-version $(KSERVE)
endef
define suite-restarts # the restarts that the plugin predicts, against those of the golden cases with real KServe (needs root)
	cd e2e && $(TEST) -count=1 -v -timeout 90m -run '^TestRestarts$$' ./cluster -kserve-version $(KSERVE)
endef
define suite-plan # what plan says KServe makes, against what real KServe makes of every golden case and sample (needs root)
	$(MAKE) plan KSERVE=$(KSERVE)
	cd e2e && $(TEST) -count=1 ./cluster/evidence
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) ./plan -kserve-version $(subst $(space),$(comma),$(strip $(planned))) \
		-cases '$(CASES)'
endef
define suite-upgrade # KServe upgraded in place below apps that the plugin repairs, as upgrade predicts it (needs root)
	$(MAKE) plan KSERVE=0.15.2,0.17.0,0.19.0,0.20.0
	cd e2e && $(TEST) -count=1 ./cluster/restarts
	cd e2e && $(TEST) -count=1 -v -timeout $(LIMIT) -run '^TestUpgrade$$' ./cluster -kserve-version 0.15.2,0.17.0,0.19.0,0.20.0
endef
define suite-pairs # changes that KServe's own code makes fail, against what check --previous announces (builds the code)
	$(MAKE) plan KSERVE=$(KSERVE)
	cd e2e && for release in $(planned); do $(TEST) -count=1 -v -timeout $(LIMIT) ./pairs -kserve-version $$release || exit; done
endef
define suite-comparison # every way of Argo CD to compare and to track (needs root; builds Argo CD and KServe); not in CI
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) ./cluster/comparison
	cd e2e && $(TEST) -count=1 -v -timeout 180m -run '^TestComparison$$' ./cluster -kserve-version 0.20.0 \
		-comparison '$(COMPARISON)'
endef
define suite-all # all but chaos, with every release of KServe, chart, host and case; not in CI
	for suite in health helm kustomize hosts memory argocd operator upstream cluster knative keda autoscaling restarts \
		plan pairs upgrade comparison; do \
		$(MAKE) e2e SUITE=$$suite KSERVE=all DRIFT=all CHARTS=all HOSTS=all || exit; done
endef

# one-of is an error if a variable does not have one of the values that it may have.
one-of = $(if $(filter 1,$(words $($(1)) $(filter-out $(2),$($(1))))),,$(error "$(1)=$($(1))" is none of: $(2)))

e2e: ## one of the suites below, such as SUITE=health
	$(call one-of,KNATIVE,all smoke)$(call one-of,DRIFT,quick all)$(call one-of,HOSTS,quick all)
	$(call one-of,CHARTS,kserve all)
	$(or $(suite-$(SUITE)),$(error "SUITE=$(SUITE)" is none of the suites that make help lists))

image-test: ## run the image of a release, or that in IMAGE, and the Dockerfile's (needs root; installs buildah)
	test -n '$(IMAGE)' || rm -rf bin/image
	test -n '$(IMAGE)' || KSERVE= hack/release/build bin/image v0.0.0 linux/$$($(GO) env GOARCH)
	E2E_IMAGE=$(abspath $(or $(IMAGE),bin/image/image)) hack/image-test
	cd e2e && E2E_IMAGE=$(abspath $(or $(IMAGE),bin/image/image)) $(TEST) -count=1 -v ./release

release: ## what a release consists of, in bin/release: of version VERSION, or of the commit's tag (needs zip)
	rm -rf bin/release
	hack/release/build bin/release $(VERSION)

release-test: ## the tests of hack/release, with a program of one line in the place of the plugin (installs zip, curl and jq)
	command -v zip >/dev/null && command -v curl >/dev/null && command -v jq >/dev/null || hack/install zip curl jq
	cd hack/release && $(TEST) -count=1 ./...

reproducible: ## linux/amd64 twice, the second time with an empty build cache, to compare the files; not in CI
	hack/reproducible

bench: KSERVE = 0.20.0
bench: build plan ## CPU time, growth and memory, also in Argo CD; writes docs/evidence/performance.md (needs root; builds Argo CD)
	cd bench && $(GO) build -ldflags '-s -w' -o ../bin/ ./decode ./empty github.com/mikefarah/yq/v4 \
		sigs.k8s.io/kustomize/kustomize/v5
	cd e2e/tools/helm4 && $(GO) build -ldflags '-s -w' -o ../../../bin/ helm.sh/helm/v4/cmd/helm
	cd bench && $(TEST) . && $(GO) build -o ../bin/bench .
	cd e2e && $(TEST) -count=1 -timeout $(LIMIT) -run '^TestFigures$$' ./argocd -args -figures $(abspath bin/sidecar.json)
	bin/bench -page docs/evidence/performance.md -sidecar bin/sidecar.json

outdated: ## the modules of the binary that have a newer version (asks the module proxy)
	hack/outdated

# The pages stand beside the modules that they are compiled with, below bin, where no test looks for pages.
bin/pages/node_modules: hack/site/package.json hack/site/package-lock.json
	command -v npm >/dev/null || hack/install npm
	mkdir -p bin/pages
	cp hack/site/package.json hack/site/package-lock.json bin/pages
	cd bin/pages && npm ci --no-audit --no-fund --no-update-notifier
	touch $@

site: bin/pages/node_modules ## the site of the documentation, in bin/site (installs npm)
	rm -rf bin/site bin/pages/.vitepress bin/pages/docs
	cp -R hack/site/. README.md docs bin/pages
	mkdir -p bin/pages/install
	cp install/README.md bin/pages/install
	cd bin/pages && node_modules/.bin/vitepress build

site-test: site ## that site in a headless browser at the width of a desk and of a phone (installs Chromium)
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || hack/install chromium
	cd bin/pages && node --test site_test.mjs

demo: build ## what the plugin does to an app with two environments
	$(BINARY) diff --color=always --fail-on=never examples/two-environments/overlays/production

clean:
	rm -rf bin
