# The demo targets: ordinary programs, built without anything of the toolkit. Each is made of its own
# sources and the one file that holds the bug or its fix.

DEMO_BUILD  := $(BUILD)/demo
DEMO_BASE    = -std=c17 -D_GNU_SOURCE $(WARN) -g -O2 $(SAN) -pthread -MMD -MP
DEMO_COMMON := common/tcp_server

REDIS_CLONE := $(DEMO_COMMON) $(patsubst demo-targets/%.c,%,$(filter-out \
    %_buggy.c %_fixed.c,$(wildcard demo-targets/redis-clone/*.c)))

DEMO_PROGRAMS := redis-clone-buggy redis-clone-fixed

demos: $(DEMO_PROGRAMS:%=$(DEMO_BUILD)/%)

# $(call demo_program,NAME,SOURCES without .c)
define demo_program
$(DEMO_BUILD)/$(1): $(2:%=$(DEMO_BUILD)/obj/%.o)
	$$(CC) -g -O2 $$(SAN) -pthread -o $$@ $$^
endef

$(DEMO_BUILD)/obj/%.o: demo-targets/%.c
	@mkdir -p $(@D)
	$(CC) $(DEMO_BASE) -c -o $@ $<

$(eval $(call demo_program,redis-clone-buggy,$(REDIS_CLONE) redis-clone/store_lpush_buggy))
$(eval $(call demo_program,redis-clone-fixed,$(REDIS_CLONE) redis-clone/store_lpush_fixed))

-include $(wildcard $(DEMO_BUILD)/obj/*/*.d)

.PHONY: demo demos
demo:
	@sh demo-targets/demo.sh
