/* command_list.h - the one list of commands, in the order of `approf help`.
 *
 * COMMAND(name, flags, groups, arguments, summary): runs cmd_<name> (in cmd_<name>.c, declared from
 * this list in commands.h). groups: which options it takes. No include guard.
 */
COMMAND(help, 0, GROUP_NONE, "[COMMAND]", "what approf can do, or one command in detail")
COMMAND(version, 0, GROUP_NONE, "", "version of approf")
COMMAND(symbolize, 0, GROUP_LOAD | GROUP_OUTPUT, "PROFILE", "write functions, lines and inlined frames into a profile")
COMMAND(top, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "what allocates most: one row a function, line or file")
COMMAND(list, COMMAND_TAKES_REGEXP, GROUP_LOAD | GROUP_REPORT, "RE SOURCE...", "source lines of functions that match, with their weights")
COMMAND(raw, 0, GROUP_LOAD | GROUP_REPORT, "SOURCE...", "the profile as text")
