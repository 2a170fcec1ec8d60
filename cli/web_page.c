/* web_page.c - see web_page.h. */
#include "web_page.h"

#include "memory.h"
#include "profile_codec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* web_assets.S */
extern const char web_page_start[] __attribute__((visibility("hidden")));
extern const char web_page_end[] __attribute__((visibility("hidden")));

bool web_page_nonce(char nonce[WEB_NONCE_ROOM])
{
    unsigned char bytes[(WEB_NONCE_ROOM - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

char *web_page_policy(const char *nonce, bool served)
{
    return memory_print("default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; "
                        "base-uri 'none'; form-action 'none'%s",
                        nonce, nonce, served ? "; connect-src 'self'" : "");
}

static void write_base64(FILE *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < n ? bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        i + 1 < n ? digits[group >> 6 & 63] : '=',
                        i + 2 < n ? digits[group & 63] : '='};
        fwrite(text, 1, 4, out);
    }
}

void web_content_free(struct web_content *content)
{
    free(content->profile);
    free(content->times);
    *content = (struct web_content){0};
}

static bool write_compressed(FILE *out, const void *bytes, size_t n)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer compressed = {.arena = &arena};
    bool fine = gzip_deflate(bytes, n, 6, &compressed);
    if (fine) {
        write_base64(out, compressed.bytes, compressed.length);
    }
    arena_free(&arena);
    return fine;
}

bool web_page_write(FILE *out, const char *nonce, const struct web_content *content)
{
    char *policy = web_page_policy(nonce, content == NULL);
    bool fine = true;
    for (const char *at = web_page_start; fine && at < web_page_end;) {
        const char *mark = memchr(at, '@', (size_t)(web_page_end - at));
        const char *end = mark ? mark : web_page_end;
        fwrite(at, 1, (size_t)(end - at), out);
        at = end;
        if (!mark) {
            break;
        }
        if (strncmp(at, "@NONCE@", 7) == 0) {
            fputs(nonce, out);
            at += 7;
        } else if (strncmp(at, "@POLICY@", 8) == 0) {
            fputs(policy, out);
            at += 8;
        } else if (strncmp(at, "@DATA@", 6) == 0) {
            fine = !content || write_compressed(out, content->profile, content->profile_length);
            at += 6;
        } else if (strncmp(at, "@TIMES@", 7) == 0) {
            fine = !content || !content->times ||
                   write_compressed(out, content->times, content->times_length);
            at += 7;
        } else {
            fputc(*at++, out);
        }
    }
    free(policy);
    return fine;
}
