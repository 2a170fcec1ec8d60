# Measuring.
#
#   make bench                  what the profiler costs, as ratios within one run
#   make bench-quick            instruction counts against the committed ones; UPDATE=yes writes them anew

UPDATE ?=

BENCH_PROGRAMS = $(addprefix $(BUILD)/bench/,patterns map_strings bare_shim.so)

$(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -g -fno-builtin-malloc -fno-builtin-free -pthread -o $@ $<

$(BUILD)/bench/%: bench/%.cc
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -Wall -Wextra -Werror -O2 -g -o $@ $<

$(BUILD)/bench/%.so: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -fPIC -shared -fno-builtin-malloc -fno-builtin-free -o $@ $<

.PHONY: bench bench-reports bench-quick
bench: all $(BENCH_PROGRAMS)
	@python3 bench/speed.py --build $(BUILD)

# Reports of a large profile beside go tool pprof's, which takes minutes for it.
bench-reports: cli
	@python3 bench/reports.py --build $(BUILD)

bench-quick: lib $(BUILD)/bench/patterns $(BUILD)/bench/map_strings
	@python3 bench/quick.py --build $(BUILD) $(if $(filter yes,$(UPDATE)),--update)

# tests/hooks/instruction_counts.sh runs it too.
ifeq ($(VARIANT),)
test-programs: $(BUILD)/bench/patterns $(BUILD)/bench/map_strings
endif
