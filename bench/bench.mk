# Measuring. docs/BENCHMARKS.md is made by it, and says what is measured and how.
#
#   make bench                  all of it, in about BENCH_MINUTES; writes BENCH_PAGE
#   make bench BENCH_ONLY=growth    one part; the others stay as they are
#   make bench-quick            instruction counts against the committed ones; UPDATE=yes writes them anew
#   make bench-packages         installs what is compared with (Debian, Ubuntu)

BENCH_MINUTES ?= 25
BENCH_PAGE    ?= docs/BENCHMARKS.md
BENCH_ONLY    ?=
UPDATE        ?=

BENCH_PROGRAMS = $(addprefix $(BUILD)/bench/,patterns map_strings growth known_sizes bare_shim.so growth_module.so) \
    $(if $(shell command -v go),$(BUILD)/bench/go_patterns)


$(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -g -fno-builtin-malloc -fno-builtin-free -pthread -o $@ $< -ldl

$(BUILD)/bench/%: bench/%.cc
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -Wall -Wextra -Werror -O2 -g -o $@ $< -ldl

$(BUILD)/bench/go_patterns: bench/go_patterns.go
	@mkdir -p $(@D)
	go build -o $@ $<

$(BUILD)/bench/%.so: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -fPIC -shared -fno-builtin-malloc -fno-builtin-free -o $@ $<

.PHONY: bench bench-packages bench-reports bench-quick
bench: all $(BENCH_PROGRAMS)
	@python3 bench/bench.py --build $(BUILD) --minutes $(BENCH_MINUTES) --page $(BENCH_PAGE) $(BENCH_ONLY:%=--only %)

bench-packages:
	@tests/install-packages.sh build bench

# Reports of a large profile beside go tool pprof's, which takes minutes for it.
bench-reports: cli
	@python3 bench/reports.py --build $(BUILD)

bench-quick: lib $(BUILD)/bench/patterns $(BUILD)/bench/map_strings
	@python3 bench/quick.py --build $(BUILD) $(if $(filter yes,$(UPDATE)),--update)

# tests/hooks/instruction_counts.sh runs it too.
ifeq ($(VARIANT),)
test-programs: $(BUILD)/bench/patterns $(BUILD)/bench/map_strings
endif
