# The demo targets: ordinary programs, built without anything of the toolkit. Each is made of its own
# sources and the one file that holds the bug or its fix.

DEMO_BUILD  := $(BUILD)/demo
DEMO_BASE    = -std=c17 -D_GNU_SOURCE $(WARN) -g -O2 $(SAN) -pthread -MMD -MP

# $(call demo_sources,FOLDER): all but the two files that differ.
demo_sources = $(patsubst demo-targets/%.c,%,$(filter-out %_buggy.c %_fixed.c,$(wildcard demo-targets/$(1)/*.c)))

REDIS_CLONE := common/tcp_server $(call demo_sources,redis-clone)
LOG_PARSE   := common/log_lines $(call demo_sources,log-parse)
LOG_SEARCH  := common/log_lines common/tcp_server $(call demo_sources,log-search)

# What the stages share, and what each is made of besides.
RESP_STAGES := common/tcp_server $(addprefix resp-stages/,resp_stages_main stage_loop stage_connection stage_commands \
    key_values append_file)
RESP_STAGE0 := line_growing request_tree   command_copies append_always answers_built
RESP_STAGE1 := line_slice   request_tree   command_copies append_always answers_built
RESP_STAGE2 := line_slice   request_direct array_header command_copies append_always answers_built
RESP_STAGE3 := line_slice   request_direct array_header command_copies append_when_on answers_built
RESP_STAGE4 := line_slice   request_fields array_header append_when_on answers_built
RESP_STAGE5 := line_slice   request_shared array_header shared_bulk append_when_on answers_built
RESP_STAGE6 := line_slice   request_slots  array_header shared_bulk append_when_on answers_built
RESP_STAGE7 := line_slice   request_slots  array_header shared_bulk append_when_on answers_constant

STAGES := 0 1 2 3 4 5 6 7

DEMO_PROGRAMS := redis-clone-buggy redis-clone-fixed log-parse-buggy log-parse-fixed \
    log-search-buggy log-search-fixed $(STAGES:%=resp-stage%)

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
$(eval $(call demo_program,log-parse-buggy,$(LOG_PARSE) log-parse/parse_line_buggy))
$(eval $(call demo_program,log-parse-fixed,$(LOG_PARSE) log-parse/parse_line_fixed))
$(eval $(call demo_program,log-search-buggy,$(LOG_SEARCH) log-search/search_buggy))
$(eval $(call demo_program,log-search-fixed,$(LOG_SEARCH) log-search/search_fixed))
$(foreach n,$(STAGES),$(eval $(call demo_program,resp-stage$(n),$(RESP_STAGES) $(RESP_STAGE$(n):%=resp-stages/%))))

-include $(wildcard $(DEMO_BUILD)/obj/*/*.d)

.PHONY: demo demos
demo:
	@sh demo-targets/demo.sh

# One story each, and all of them; they fail when a claim does not hold. See stories.sh for FULL=1 and BUSY=1.
.PHONY: demo-redis demo-parse demo-search demo-resp stories
demo-redis demo-parse demo-search demo-resp:
	@sh demo-targets/stories.sh $(@:demo-%=%)

stories:
	@sh demo-targets/stories.sh
