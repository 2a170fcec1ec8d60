/* cmd_symbolize.c - approf symbolize IN -o OUT: writes functions, files, lines and inlined frames
 * into a profile, so that it can be read where the binaries are not. In place is allowed.
 */
#include "commands.h"
#include "profile_codec.h"
#include "symbolize.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *path, const struct profile_error *error)
{
    return message_error("%s: %s", path, error->text);
}

static bool write_standard_output(struct profile *profile)
{
    struct byte_buffer plain = {.arena = &profile->arena}, packed = {.arena = &profile->arena};
    return profile_encode(profile, &plain) && gzip_deflate(plain.bytes, plain.length, 6, &packed) &&
           fwrite(packed.bytes, 1, packed.length, stdout) == packed.length && fflush(stdout) == 0;
}

static bool load(const char *path, struct profile *profile, struct profile_error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    bool loaded = file_read(path, PROFILE_MAX_BYTES, &bytes, error) &&
                  profile_decode(bytes.bytes, bytes.length, profile, error);
    arena_free(&arena);
    return loaded;
}

static bool read_options(const struct cli_options *given, struct symbolize_options *options)
{
    const char *bad;
    size_t length;
    options->symbol_path = *given->symbol_path != 0 ? given->symbol_path : NULL;
    if (symbolize_parse(given->symbolize, options, &bad, &length)) {
        return true;
    }
    message_error("-symbolize: there is no mode '%.*s'", (int)length, bad);
    message_hint("modes are none, local, fastlocal, remote, force and demangle=full, none, "
                 "templates or default, joined by ':'");
    return false;
}

int cmd_symbolize(struct invocation *invocation)
{
    struct symbolize_options options = {0};
    struct profile_error error = {0};
    struct symbolize_result result;
    struct profile profile;
    const char *output = invocation->options.output;
    if (invocation->n_arguments != 1) {
        message_error("symbolize: %s", invocation->n_arguments == 0
                                           ? "which profile?"
                                           : "more than one profile was given");
        message_hint("approf symbolize IN -o OUT");
        return STATUS_BAD_USAGE;
    }
    const char *input = invocation->arguments[0];
    if (*output == 0) {
        message_error("symbolize: where should the result go?");
        message_hint("-o OUT; -o %s changes the file itself, -o - writes to standard output",
                     input);
        return STATUS_BAD_USAGE;
    }
    if (!read_options(&invocation->options, &options)) {
        return STATUS_BAD_USAGE;
    }
    if (!load(input, &profile, &error)) {
        return fail(input, &error);
    }
    int status = STATUS_FINE;
    if (!symbolize_profile(&profile, &options, &result)) {
        status = message_error("%s: out of memory", input);
    } else if (strcmp(output, "-") == 0) {
        if (!write_standard_output(&profile)) {
            status = message_error("standard output: could not be written");
        }
    } else if (!profile_write_file(&profile, output, true, NULL, 0, &error)) {
        status = fail(output, &error);
    }
    profile_free(&profile);
    return status;
}
