/* command_list.h - the one list of commands, in the order of `approf help`.
 *
 * COMMAND(name, flags, groups, arguments, summary): runs cmd_<name> (in cmd_<name>.c, declared from
 * this list in commands.h). groups: which options it takes. No include guard.
 */
COMMAND(help, 0, GROUP_NONE, "[COMMAND]", "what approf can do, or one command in detail")
COMMAND(version, 0, GROUP_NONE, "", "version of approf")
COMMAND(run, COMMAND_TAKES_PROGRAM, GROUP_RUN, "-- PROGRAM ARGUMENTS...", "run a program and write what it allocates")
COMMAND(ps, 0, GROUP_PS | GROUP_TABLE, "", "processes that are profiled, and what ended ones left")
COMMAND(symbolize, 0, GROUP_LOAD | GROUP_OUTPUT, "PROFILE", "write functions, lines and inlined frames into a profile")
COMMAND(top, 0, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "SOURCE...", "what allocates most: one row a function, line or file")
COMMAND(diff, 0, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "OLD NEW... | PID -seconds=N", "what changed from one profile to another, or in a process meanwhile")
COMMAND(churn, 0, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "SOURCE...", "what was allocated beside what is in use, and how long it lives")
COMMAND(list, COMMAND_TAKES_REGEXP, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "RE SOURCE...", "source lines of functions that match, with their weights")
COMMAND(tree, 0, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "SOURCE...", "rows with their callers and callees")
COMMAND(peek, COMMAND_TAKES_REGEXP, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "RE SOURCE...", "callers and callees of functions that match")
COMMAND(traces, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "all stacks, one by one")
COMMAND(tags, 0, GROUP_LOAD | GROUP_REPORT | GROUP_TABLE, "SOURCE...", "the values of all labels")
COMMAND(raw, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the profile as text")
COMMAND(dot, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the call graph for graphviz")
COMMAND(svg, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the call graph as a picture (needs graphviz)")
COMMAND(png, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the same as PNG")
COMMAND(pdf, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the same as PDF")
COMMAND(callgrind, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "a graph for kcachegrind")
COMMAND(folded, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "one line a stack, for flame graph tools")
COMMAND(speedscope, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "stacks as speedscope reads them")
COMMAND(comments, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the profile's comments")
COMMAND(proto, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the profile in protobuf form, after filters")
COMMAND(topproto, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "top rows in protobuf form")
