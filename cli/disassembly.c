/* disassembly.c - see disassembly.h. */
#include "disassembly.h"

#include "memory.h"
#include "sorted.h"
#include "tool_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 256 * 1024, /* bytes between ranges that one run takes along */
    MOST_INSTRUCTIONS = 1 << 22,
};

struct listener {
    const struct disassembly_request *request;
    struct disassembly *out;
};

static bool in_ranges(const struct disassembly_request *request, uint64_t address)
{
    size_t low = SORTED_FIRST_BEHIND(request->ranges, request->n_ranges, end, address);
    return low < request->n_ranges && address >= request->ranges[low].start;
}

/* `  401136:\tsub    $0x8,%rsp` */
static void take_line(void *ctx, char *line)
{
    struct listener *listener = ctx;
    struct disassembly *out = listener->out;
    char *end;
    line += strspn(line, " ");
    if (!strchr("0123456789abcdef", *line) || !*line) {
        return;
    }
    uint64_t address = strtoull(line, &end, 16);
    if (end[0] != ':' || (end[1] != '\t' && end[1] != ' ')) {
        return;
    }
    char *text = end + 1 + strspn(end + 1, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1])) {
        n--;
    }
    bool rises = out->n == 0 || out->instructions[out->n - 1].address < address;
    if (n == 0 || !rises || out->n >= MOST_INSTRUCTIONS || !in_ranges(listener->request, address)) {
        return;
    }
    char *copy = memory_text(text, n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = (unsigned char)copy[i] < 32 || copy[i] == 127 ? ' ' : copy[i];
    }
    MEMORY_ROOM(out->instructions, out->n, out->room);
    out->instructions[out->n++] = (struct machine_instruction){address, copy};
}

static bool run_objdump(const char *objdump, struct listener *listener, uint64_t start,
                        uint64_t end, char *error, size_t room)
{
    char from[48], to[48];
    snprintf(from, sizeof from, "--start-address=0x%" PRIx64, start);
    snprintf(to, sizeof to, "--stop-address=0x%" PRIx64, end);
    const char *arguments[12];
    size_t n = 0;
    arguments[n++] = objdump;
    arguments[n++] = "--disassemble";
    arguments[n++] = "--demangle";
    arguments[n++] = "--no-show-raw-insn";
    arguments[n++] = "--wide";
    arguments[n++] = from;
    arguments[n++] = to;
    if (listener->request->intel_syntax) {
        arguments[n++] = "--disassembler-options=intel";
    }
    arguments[n++] = "--";
    arguments[n++] = listener->request->path;
    arguments[n] = NULL;
    return tool_output(arguments, take_line, listener, error, room);
}

enum disassembly_fault disassembly_read(const struct disassembly_request *request,
                                        struct disassembly *out, char *error, size_t room)
{
    char objdump[4096];
    struct listener listener = {.request = request, .out = out};
    *out = (struct disassembly){0};
    if (!tool_find(request->tools, "objdump", objdump, sizeof objdump)) {
        snprintf(error, room, "objdump is not installed");
        return DISASSEMBLY_NO_TOOL;
    }
    for (size_t i = 0, next; i < request->n_ranges; i = next) {
        for (next = i + 1; next < request->n_ranges &&
                           request->ranges[next].start - request->ranges[next - 1].end <= NEAR;
             next++) {
        }
        if (!run_objdump(objdump, &listener, request->ranges[i].start,
                         request->ranges[next - 1].end, error, room)) {
            return DISASSEMBLY_FAILED;
        }
    }
    return DISASSEMBLY_FINE;
}

void disassembly_free(struct disassembly *disassembly)
{
    for (size_t i = 0; i < disassembly->n; i++) {
        free(disassembly->instructions[i].text);
    }
    free(disassembly->instructions);
    *disassembly = (struct disassembly){0};
}

size_t disassembly_find(const struct disassembly *disassembly, uint64_t address)
{
    return SORTED_FIRST_FROM(disassembly->instructions, disassembly->n, address, address);
}
