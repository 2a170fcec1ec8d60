# Tests. `make check` is everything, `make check-quick` what ends within a minute. tests/README.md says how a test is added.
#
#   make check TESTS='hooks/ top'    only tests whose AREA/NAME contains one of the words
#   make check SAN_BUILDS=no         without the sanitized builds
#   make soak SOAK_SECONDS=600       the tests against deadlocks, crashes and losses, over and over
#   make check-vm                    control groups of version 2 and more, in an emulated machine

TESTS      ?=
SAN_BUILDS ?= yes
VARIANT    ?=
CXX        ?= g++

# SAN is set in the sanitized builds only, and reaches the tests but not the targets.
TEST_CFLAGS = -g -O1 -Wall -Wextra -Werror -Iinclude -Itests
TEST_CC     = $(CC) -std=c17 -D_GNU_SOURCE $(TEST_CFLAGS)
TEST_CXX    = $(CXX) -std=c++17 $(TEST_CFLAGS)

# The stack walker without the rest of the hook.
WALKER_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard interpose/cfi*.c interpose/modules*.c interpose/unwind*.c) interpose/spin.c interpose/raw_sys.c)
TABLES_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard interpose/tables*.c) interpose/spin.c interpose/raw_sys.c interpose/weight.c)

TEST_PROGRAMS :=
TEST_TARGETS  :=
TEST_RULES     = $(BUILD)/tests/rules.mk
TEST_SOURCES  := $(wildcard tests/*/*.c tests/*/*.cc)

# Only when tests are asked for: a plain `make` needs no python.
ifneq ($(filter check% test-programs soak,$(MAKECMDGOALS)),)
-include $(TEST_RULES)
$(TEST_RULES): tests/list-tests.py $(TEST_SOURCES) $(wildcard tests/*)
	@mkdir -p $(@D)
	@if command -v python3 >/dev/null; then python3 tests/list-tests.py rules $(VARIANT) > $@.new && mv $@.new $@; else : > $@; fi
-include $(wildcard $(BUILD)/tests/*/*.d)
endif

.PHONY: build-packages check check-quick check-san check-packages check-build test-programs soak check-vm
test-programs: $(TEST_PROGRAMS) $(TEST_TARGETS)

build-packages:
	@tests/install-packages.sh build

check-packages:
	@tests/install-packages.sh check

# The packages come first, then makes of their own: the rules above depend on tools that may only now be there.
# Instrumented builds: san has ASan and UBSan in approf and in the compiled tests; ubsan traps, and so can be preloaded.
SAN_FLAGS   = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UBSAN_FLAGS = -fsanitize=undefined -fsanitize-undefined-trap-on-error

DEMOS_GOAL  = $(if $(wildcard demo-targets/demo.mk),demos)

# -k: one test that does not compile does not hide the next one's errors; any of them fails the check.
SUB_MAKE    = $(MAKE) --no-print-directory -s $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j2)

check-build:
	@echo "building"
	@$(SUB_MAKE) all $(DEMOS_GOAL)
	@$(SUB_MAKE) -k test-programs
ifeq ($(SAN_BUILDS),yes)
	@echo "building with AddressSanitizer and UBSan"
	@$(SUB_MAKE) BUILD=$(BUILD)/san VARIANT=san SAN='$(SAN_FLAGS)' CFLAGS='-O1 -g' cli
	@$(SUB_MAKE) -k BUILD=$(BUILD)/san VARIANT=san SAN='$(SAN_FLAGS)' CFLAGS='-O1 -g' test-programs
	@$(SUB_MAKE) BUILD=$(BUILD)/ubsan VARIANT=ubsan SAN='$(UBSAN_FLAGS)' CFLAGS='-O1 -g' all
	@$(SUB_MAKE) -k BUILD=$(BUILD)/ubsan VARIANT=ubsan SAN='$(UBSAN_FLAGS)' CFLAGS='-O1 -g' test-programs
endif

VARIANTS = $(if $(filter yes,$(SAN_BUILDS)),--variant san=$(BUILD)/san --variant ubsan=$(BUILD)/ubsan)

check: check-packages
	@$(MAKE) --no-print-directory check-build
	@python3 tests/run-tests.py --build $(BUILD) $(VARIANTS) $(TESTS)

check-san: check-packages
	@$(MAKE) --no-print-directory check-build
	@python3 tests/run-tests.py --build $(BUILD) --only-variants $(VARIANTS) $(TESTS)

check-quick: check-packages
	@$(MAKE) --no-print-directory SAN_BUILDS=no check-build
	@python3 tests/run-tests.py --build $(BUILD) --quick $(TESTS)

# Deadlocks, crashes and losses, looked for over and over: an hour unless told otherwise.
SOAK_SECONDS ?= 3600

soak: check-packages
	@tests/install-packages.sh soak
	@$(MAKE) --no-print-directory SAN_BUILDS=no check-build
	@python3 tests/soak.py --build $(BUILD) --seconds $(SOAK_SECONDS) --logs $(BUILD)/soak-logs

# What wants a whole system, in an emulated one: four minutes or so. TESTS names parts.
check-vm: check-packages
	@tests/install-packages.sh vm
	@$(MAKE) --no-print-directory SAN_BUILDS=no check-build
	@BUILD=$(abspath $(BUILD)) tests/vm/run-vm $(TESTS) || [ $$? -eq 77 ]
