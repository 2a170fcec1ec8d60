# gate.mk - a Makefile rule for the allocation gate. Copy it into your project and include it:
#
#   GATE_CMD = ./bench --iterations 1000
#   include gate.mk
#
#   make gate           fails when GATE_CMD allocates more than its limits allow
#   make gate-update    writes the baseline: look at the difference, and commit it
#
# Limits are those of the file approf.gate, or else GATE_LIMITS.

APPROF        ?= approf
GATE_CMD      ?= $(error GATE_CMD is the command to be measured)
GATE_BASELINE ?= allocations.txt
GATE_LIMITS   ?=
GATE_OPTIONS  ?=
# With the name of one program: other processes of the command do not count.
GATE_PROGRAM  ?=

# For the shell, in single quotes.
gate_quoted = '$(subst ','\'',$(1))'
gate_run    = $(APPROF) gate --run $(call gate_quoted,$(GATE_CMD)) $(if $(GATE_PROGRAM),--program $(GATE_PROGRAM)) \
              --baseline $(GATE_BASELINE) $(GATE_OPTIONS)

.PHONY: gate gate-update
gate:
	$(gate_run) $(GATE_LIMITS)

gate-update:
	$(gate_run) --update
