/* option_list.h - the one list of options: parsing, help, man pages and completion come from it.
 *
 * Included several times with different definitions of
 *   OPTION_BOOL(field, name, default, groups, help)
 *   OPTION_TEXT(field, name, default, unit, groups, help)   unit "a|b|c": one of these words
 *   OPTION_INT (field, name, default, unit, groups, help)
 *   OPTION_REAL(field, name, default, unit, groups, help)
 * field is the member of struct cli_options. groups says which commands take the option (see
 * OPTION_GROUP in cli_options.h). Names are pprof's where pprof has the option. No include guard.
 */

/* ---- loading ---- */
OPTION_TEXT(base, "base", "", "SOURCE", GROUP_LOAD,
            "subtract this profile; percentages are of what is left")
OPTION_TEXT(diff_base, "diff_base", "", "SOURCE", GROUP_LOAD,
            "subtract this profile; percentages are of it")
OPTION_BOOL(normalize, "normalize", false, GROUP_LOAD,
            "scale the profile to the total of the base before subtracting")
OPTION_TEXT(
    symbolize, "symbolize", "", "MODE", GROUP_LOAD,
    "none, local, fastlocal, remote, force, demangle=full|none|templates|default; joined by ':'")
OPTION_TEXT(symbol_path, "symbol_path", "", "DIR:DIR", GROUP_LOAD,
            "directories with debug files, before the usual places")
OPTION_TEXT(buildid, "buildid", "", "ID", GROUP_LOAD,
            "build id of the main binary when the profile has none")
OPTION_TEXT(tools, "tools", "", "DIR", GROUP_LOAD, "where to look for objdump and other tools")
OPTION_TEXT(add_comment, "add_comment", "", "TEXT", GROUP_LOAD, "add a comment to the profile")
OPTION_INT(seconds, "seconds", -1, "N", GROUP_LOAD,
           "look at a process for so long: what is allocated meanwhile")
OPTION_TEXT(from, "from", "", "TIME", GROUP_LOAD,
            "of a directory of approf record: from then on (1h ago, 12:30, 2026-01-31T12:30)")
OPTION_TEXT(to, "to", "", "TIME", GROUP_LOAD, "of a directory of approf record: until then")
OPTION_INT(timeout, "timeout", -1, "N", GROUP_LOAD, "seconds to wait for an http source")
OPTION_BOOL(all_frames, "all_frames", false, GROUP_LOAD,
            "ignore the profile's own drop_frames and keep_frames")

/* ---- what is shown ---- */
OPTION_TEXT(sample_index, "sample_index", "", "NAME|N", GROUP_REPORT,
            "sample type to show, by name or number")
OPTION_BOOL(inuse_space, "inuse_space", false, GROUP_REPORT, "same as -sample_index=inuse_space")
OPTION_BOOL(inuse_objects, "inuse_objects", false, GROUP_REPORT,
            "same as -sample_index=inuse_objects")
OPTION_BOOL(alloc_space, "alloc_space", false, GROUP_REPORT, "same as -sample_index=alloc_space")
OPTION_BOOL(alloc_objects, "alloc_objects", false, GROUP_REPORT,
            "same as -sample_index=alloc_objects")
OPTION_BOOL(total_delay, "total_delay", false, GROUP_REPORT, "same as -sample_index=delay")
OPTION_BOOL(mean_delay, "mean_delay", false, GROUP_REPORT, "same as -sample_index=delay -mean")
OPTION_BOOL(contentions, "contentions", false, GROUP_REPORT, "same as -sample_index=contentions")
OPTION_BOOL(mean, "mean", false, GROUP_REPORT, "average over the first sample type")
OPTION_TEXT(unit, "unit", "minimum", "UNIT", GROUP_REPORT,
            "unit of the figures: minimum, auto, kB, MB, ms, ...")
OPTION_REAL(divide_by, "divide_by", 1, "D", GROUP_REPORT, "divide all figures by D")
OPTION_BOOL(relative_percentages, "relative_percentages", false, GROUP_REPORT,
            "percentages of what the filters leave")
OPTION_BOOL(compact_labels, "compact_labels", false, GROUP_REPORT,
            "leave out the header's File, Type and Time lines")
OPTION_TEXT(output, "output", "", "FILE",
            GROUP_REPORT | GROUP_OUTPUT | GROUP_RECORD | GROUP_GATE | GROUP_RUN,
            "write to FILE; gate: FORMAT:FILE, several times; for run a pattern: %e is the "
            "program's name, %p its pid, %h the host, %t the time")
OPTION_BOOL(ci, "ci", false, GROUP_REPORT,
            "show 95% intervals of estimates: top, list, tree, peek, traces, tags, diff, churn")
OPTION_TEXT(compat, "compat", "", "go1.19|today", GROUP_REPORT,
            "print as that version of go tool pprof does")

/* ---- rows ---- */
OPTION_BOOL(flat, "flat", false, GROUP_REPORT, "order rows by their own weight (default)")
OPTION_BOOL(cum, "cum", false, GROUP_REPORT, "order rows by weight with callees")
OPTION_BOOL(functions, "functions", false, GROUP_REPORT, "one row a function (default)")
OPTION_BOOL(filefunctions, "filefunctions", false, GROUP_REPORT, "one row a function and file")
OPTION_BOOL(files, "files", false, GROUP_REPORT, "one row a file")
OPTION_BOOL(lines, "lines", false, GROUP_REPORT, "one row a source line")
OPTION_BOOL(addresses, "addresses", false, GROUP_REPORT, "one row an address")
OPTION_BOOL(noinlines, "noinlines", false, GROUP_REPORT,
            "count inlined functions as part of their caller")
OPTION_BOOL(showcolumns, "showcolumns", false, GROUP_REPORT, "show column numbers at -lines")
OPTION_INT(nodecount, "nodecount", -1, "N", GROUP_REPORT, "most rows or nodes to show")
OPTION_REAL(nodefraction, "nodefraction", 0.005, "F", GROUP_REPORT,
            "hide nodes below F of the total")
OPTION_REAL(edgefraction, "edgefraction", 0.001, "F", GROUP_REPORT,
            "hide edges below F of the total")
OPTION_BOOL(trim, "trim", true, GROUP_REPORT, "apply -nodecount, -nodefraction and -edgefraction")
OPTION_BOOL(drop_negative, "drop_negative", false, GROUP_REPORT, "leave out negative rows")
OPTION_BOOL(call_tree, "call_tree", false, GROUP_REPORT,
            "a tree of call paths instead of a graph (dot, callgrind)")

/* ---- filters ---- */
OPTION_TEXT(focus, "focus", "", "RE", GROUP_REPORT, "keep stacks with a frame that matches")
OPTION_TEXT(ignore, "ignore", "", "RE", GROUP_REPORT, "drop stacks with a frame that matches")
OPTION_TEXT(hide, "hide", "", "RE", GROUP_REPORT, "remove frames that match")
OPTION_TEXT(show, "show", "", "RE", GROUP_REPORT, "remove frames that do not match")
OPTION_TEXT(show_from, "show_from", "", "RE", GROUP_REPORT,
            "remove frames above the outermost match")
OPTION_TEXT(prune_from, "prune_from", "", "RE", GROUP_REPORT,
            "remove frames below the innermost match")
OPTION_TEXT(tagfocus, "tagfocus", "", "TAG", GROUP_REPORT,
            "keep samples with a label in range or matching")
OPTION_TEXT(tagignore, "tagignore", "", "TAG", GROUP_REPORT,
            "drop samples with a label in range or matching")
OPTION_TEXT(tagshow, "tagshow", "", "RE", GROUP_REPORT, "keep only labels whose key matches")
OPTION_TEXT(taghide, "taghide", "", "RE", GROUP_REPORT, "remove labels whose key matches")
OPTION_TEXT(tagroot, "tagroot", "", "KEY,KEY", GROUP_REPORT,
            "add a frame for these labels at the root")
OPTION_TEXT(tagleaf, "tagleaf", "", "KEY,KEY", GROUP_REPORT,
            "add a frame for these labels at the leaf")

/* ---- sources ---- */
OPTION_TEXT(source_path, "source_path", "", "DIR:DIR", GROUP_REPORT | GROUP_LIVE | GROUP_RUN,
            "where to look for source files")
OPTION_TEXT(trim_path, "trim_path", "", "DIR:DIR", GROUP_REPORT,
            "prefixes to remove from source file names")
OPTION_BOOL(intel_syntax, "intel_syntax", false, GROUP_REPORT, "disassemble in Intel syntax")

/* ---- pprof's command line: the report as an option ---- */
OPTION_BOOL(format_callgrind, "callgrind", false, GROUP_FORMAT, "report in callgrind format")
OPTION_BOOL(format_comments, "comments", false, GROUP_FORMAT, "the profile's comments")
OPTION_TEXT(format_disasm, "disasm", "", "RE", GROUP_FORMAT,
            "annotated assembly of matching functions")
OPTION_BOOL(format_dot, "dot", false, GROUP_FORMAT, "graph in dot format")
OPTION_TEXT(format_list, "list", "", "RE", GROUP_FORMAT, "annotated source of matching functions")
OPTION_BOOL(format_pdf, "pdf", false, GROUP_FORMAT, "graph as PDF")
OPTION_TEXT(format_peek, "peek", "", "RE", GROUP_FORMAT,
            "callers and callees of matching functions")
OPTION_BOOL(format_png, "png", false, GROUP_FORMAT, "graph as PNG")
OPTION_BOOL(format_proto, "proto", false, GROUP_FORMAT, "the profile in protobuf form")
OPTION_BOOL(format_raw, "raw", false, GROUP_FORMAT, "the profile as text")
OPTION_BOOL(format_svg, "svg", false, GROUP_FORMAT, "graph as SVG")
OPTION_BOOL(format_tags, "tags", false, GROUP_FORMAT, "values of all labels")
OPTION_BOOL(format_text, "text", false, GROUP_FORMAT, "same as -top")
OPTION_BOOL(format_top, "top", false, GROUP_FORMAT, "top rows")
OPTION_BOOL(format_topproto, "topproto", false, GROUP_FORMAT, "top rows in protobuf form")
OPTION_BOOL(format_traces, "traces", false, GROUP_FORMAT, "all stacks")
OPTION_BOOL(format_tree, "tree", false, GROUP_FORMAT, "callers and callees of all rows")
OPTION_TEXT(format_weblist, "weblist", "", "RE", GROUP_FORMAT, "annotated source as HTML")
OPTION_BOOL(format_json, "json", false, GROUP_FORMAT | GROUP_TABLE, "the table as JSON")
OPTION_BOOL(format_csv, "csv", false, GROUP_FORMAT | GROUP_TABLE, "the table as CSV")
OPTION_BOOL(format_folded, "folded", false, GROUP_FORMAT, "one line a stack, for flame graph tools")
OPTION_BOOL(format_speedscope, "speedscope", false, GROUP_FORMAT, "speedscope JSON")

/* ---- gate ---- */
OPTION_TEXT(gate_growth, "max-growth", "", "LIMIT", GROUP_GATE,
            "total may grow this much: alloc_space=5%, inuse_objects=+100")
OPTION_TEXT(gate_max, "max", "", "LIMIT", GROUP_GATE,
            "total may be this much: alloc_objects=1000/op, peak=64MB")
OPTION_TEXT(gate_site_growth, "max-site-growth", "", "LIMIT", GROUP_GATE,
            "each site may grow this much")
OPTION_TEXT(gate_site_max, "max-site", "", "LIMIT", GROUP_GATE, "each site may be this much")
OPTION_TEXT(gate_site, "site", "", "RE LIMIT", GROUP_GATE,
            "the sites that match, together: alloc_space=0, alloc_space=5%")
OPTION_TEXT(gate_floor, "floor", "", "LIMIT", GROUP_GATE,
            "sites that stay below it do not count: alloc_space=1MB")
OPTION_TEXT(gate_rules, "rules", "", "FILE", GROUP_GATE,
            "limits from a file, one a line (approf.gate is read if there are no others)")
OPTION_TEXT(gate_waivers, "waivers", "", "FILE", GROUP_GATE,
            "excused findings: PATTERN UNTIL-DATE REASON, one a line")
OPTION_TEXT(gate_by, "by", "function", "function|line", GROUP_GATE, "what a site is")
OPTION_REAL(gate_per, "per", 0, "N", GROUP_GATE,
            "operations in a run: figures and limits with /op are per operation")
OPTION_TEXT(gate_per_file, "per-file", "", "FILE", GROUP_GATE,
            "a file that holds the number of operations of the run")
OPTION_TEXT(gate_run, "run", "", "CMD", GROUP_GATE, "profile this shell command and judge it")
OPTION_INT(gate_runs, "runs", 1, "N", GROUP_GATE, "how often to run it")
OPTION_TEXT(gate_program, "program", "", "NAME", GROUP_GATE,
            "of the processes of --run, judge those of this program only")
OPTION_TEXT(gate_baseline, "baseline", "", "FILE", GROUP_GATE, "the base as a text file")
OPTION_BOOL(gate_update, "update", false, GROUP_GATE, "write the baseline instead of judging")
OPTION_BOOL(gate_two_sided, "two-sided", false, GROUP_GATE,
            "end with 4 when a limit has become far too loose")
OPTION_BOOL(gate_allow_undecided, "allow-undecided", false, GROUP_GATE,
            "pass although the profiles can't tell")
OPTION_BOOL(gate_other_program, "allow-other-program", false, GROUP_GATE,
            "compare profiles of programs with different names")
OPTION_REAL(gate_false_alarms, "false-alarms", 1, "PERCENT", GROUP_GATE,
            "chance of any false alarm in a comparison")
OPTION_TEXT(gate_report, "report", "", "FILE", GROUP_GATE,
            "what was judged as one file for a browser, as approf web -o; reports link to it")
OPTION_TEXT(gate_report_url, "report-url", "", "URL", GROUP_GATE,
            "where that file will be found, for the links (default: its name)")

/* ---- serving ---- */
OPTION_TEXT(http, "http", "", "HOST:PORT", GROUP_WEB | GROUP_SERVE | GROUP_RUN,
            "serve at this address (serve: default 127.0.0.1:6060)")
OPTION_BOOL(no_browser, "no_browser", false, GROUP_WEB, "do not start a browser")

OPTION_TEXT(token, "token", "", "TEXT|@FILE", GROUP_SERVE | GROUP_RUN,
            "ask clients for this bearer token (or $APPROF_TOKEN)")
OPTION_TEXT(host_names, "host_names", "", "NAME,NAME", GROUP_SERVE | GROUP_RUN,
            "further names that clients may call the server by")

/* ---- recording ---- */
OPTION_TEXT(interval, "interval", "60s", "DURATION", GROUP_RECORD, "time between two profiles")
OPTION_TEXT(keep, "keep", "24h", "DURATION", GROUP_RECORD, "remove profiles that are older")

/* ---- the live view ---- */
OPTION_TEXT(refresh, "refresh", "1", "SECONDS", GROUP_LIVE | GROUP_RUN,
            "time between two looks at the process")

/* ---- running a program ---- */
OPTION_TEXT(rate, "rate", "", "BYTES", GROUP_RUN | GROUP_GATE,
            "sample about once every BYTES; 1 records every allocation (the gate's default)")
OPTION_BOOL(live, "live", false, GROUP_RUN,
            "show where it allocates on a screen that refreshes; what it writes to the terminal "
            "goes to approf.PROGRAM.out")
OPTION_BOOL(quiet, "quiet", false, GROUP_RUN, "no summary at the end")
OPTION_INT(depth, "depth", -1, "FRAMES", GROUP_RUN, "most frames of a stack")
OPTION_TEXT(only, "only", "", "GLOB", GROUP_RUN, "profile only programs whose name matches")

OPTION_BOOL(clean, "clean", false, GROUP_PS, "remove the tables that ended processes left")

/* ---- everywhere ---- */
OPTION_TEXT(color, "color", "auto", "auto|always|never", GROUP_ALL, "colour on a terminal")
OPTION_BOOL(help, "help", false, GROUP_ALL, "what the command does and its options")
