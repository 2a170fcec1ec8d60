// log-search's parsers of requests, queries and patterns. What the request says lies within the
// input, and a prefix of a request never says something else than "more" or a refusal.

#include "fuzz_input.h"

#include "../../demo-targets/log-search/http_request.h"
#include "../../demo-targets/log-search/search.h"

#include <string.h>

const char *const fuzz_seeds[] = {
    "GET /search?q=ERROR.*eu-%28west%7Cnorth%29 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HEAD / HTTP/1.0\nConnection: keep-alive\n\n",
    "POST /search HTTP/1.1\r\nContent-Length: 4\r\n\r\nq=ab",
    "GET /search?a=b&q=%5B0-9%5D%7B3%7D&q=x HTTP/1.1\r\nConnection: close\r\n\r\n",
    "GET /search?q=((a*)+|[[:alpha:]])?b{2,3}$ HTTP/1.1\r\n\r\n",
    NULL};
const char *const fuzz_words[] = {"\r\n",
                                  "\n",
                                  ":",
                                  " ",
                                  "%",
                                  "%00",
                                  "%28",
                                  "+",
                                  "&",
                                  "q=",
                                  "?",
                                  "/",
                                  "HTTP/1.1",
                                  "HTTP/2.0",
                                  "Content-Length: ",
                                  "Transfer-Encoding: chunked\r\n",
                                  "(",
                                  ")",
                                  "*",
                                  "{9,99}",
                                  "{",
                                  "\\1",
                                  "[[",
                                  "|",
                                  "(a{999}){999}",
                                  "$",
                                  "^",
                                  NULL};

static void check_within(const uint8_t *data, size_t size, const char *text, size_t len)
{
    FUZZ_CHECK((const uint8_t *)text >= data && len <= size &&
               (const uint8_t *)text + len <= data + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request request, part;
    int status = http_parse_request((const char *)data, size, &request);

    fuzz_note(&status, sizeof status);
    FUZZ_CHECK(status == 0 || status == -1 || status == 400 || status == 431 || status == 505);
    for (size_t cut = 0; cut < size; cut += 1 + size / 16) {
        int early = http_parse_request((const char *)data, cut, &part);
        FUZZ_CHECK(early == -1 ||
                   (early == 0 && status == 0 && part.head_len == request.head_len) ||
                   early == status);
    }
    if (status != 0)
        return 0;
    FUZZ_CHECK(request.head_len <= size);
    check_within(data, size, request.method, request.method_len);
    check_within(data, size, request.path, request.path_len);
    check_within(data, size, request.query, request.query_len);

    char value[PATTERN_MAX], error[128];
    regex_t compiled;
    long len = http_query_value(&request, "q", value, sizeof value);
    FUZZ_CHECK(len >= -2 && len < PATTERN_MAX && (len < 0 || strlen(value) == (size_t)len));
    if (len >= 0 && pattern_compile(&compiled, value, error, sizeof error) == 0) {
        int found = regexec(
            &compiled, "2024-05-11T00:00:48.519Z|ERROR|cart|user=1 region=eu-west-1", 0, NULL, 0);
        fuzz_note(&found, sizeof found);
        regfree(&compiled);
    }
    return 0;
}
