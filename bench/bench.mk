# Measuring. `make bench` prints what the profiler costs, as ratios within one run; bench/speed.py says how.

$(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -g -fno-builtin-malloc -fno-builtin-free -pthread -o $@ $<

.PHONY: bench
bench: all $(BUILD)/bench/patterns
	@python3 bench/speed.py --build $(BUILD)

# Reports of a large profile beside go tool pprof's, which takes minutes for it.
.PHONY: bench-reports
bench-reports: cli
	@python3 bench/reports.py --build $(BUILD)
