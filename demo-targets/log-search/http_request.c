// The parser of request heads, strict where leniency is known to be abused (RFC 9112): no spaces
// before a colon, no folded lines, no bare control characters.

#include "http_request.h"

#include <string.h>
#include <strings.h>

// Characters of a method or header name (RFC 9110, token).
static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_visible(char c)
{
    return c > ' ' && c < 0x7f;
}

// The next line of the head without its end; null when there is none.
static const char *next_line(const char **at, const char *end, size_t *len)
{
    const char *line = *at;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline)
        return NULL;
    *at = newline + 1;
    *len = (size_t)(newline - line);
    if (*len > 0 && line[*len - 1] == '\r')
        --*len;
    return line;
}

// METHOD SP TARGET SP HTTP/1.x
static int parse_request_line(const char *line, size_t len, struct http_request *request)
{
    size_t i = 0;
    while (i < len && is_token(line[i]))
        i++;
    request->method = line;
    request->method_len = i;
    if (i == 0 || i == len || line[i] != ' ')
        return 400;

    size_t target = ++i;
    while (i < len && is_visible(line[i]))
        i++;
    if (i == target || i == len || line[i] != ' ' || line[target] != '/')
        return 400;
    const char *mark = memchr(line + target, '?', i - target);
    request->path = line + target;
    request->path_len = mark ? (size_t)(mark - request->path) : i - target;
    request->query = mark ? mark + 1 : line + i;
    request->query_len = (size_t)(line + i - request->query);

    i++;
    if (len - i != 8 || memcmp(line + i, "HTTP/", 5) != 0 || line[i + 6] != '.')
        return 400;
    if (line[i + 5] != '1' || line[i + 7] < '0' || line[i + 7] > '9')
        return 505;
    request->keep_alive = line[i + 7] != '0';
    return 0;
}

static bool value_is(const char *value, size_t len, const char *word)
{
    return len == strlen(word) && strncasecmp(value, word, len) == 0;
}

static int parse_header(const char *line, size_t len, struct http_request *request)
{
    size_t name = 0;
    while (name < len && is_token(line[name]))
        name++;
    if (name == 0 || name == len || line[name] != ':')
        return 400;
    const char *value = line + name + 1;
    size_t value_len = len - name - 1;
    for (; value_len > 0 && (*value == ' ' || *value == '\t'); value_len--)
        value++;
    while (value_len > 0 && (value[value_len - 1] == ' ' || value[value_len - 1] == '\t'))
        value_len--;
    for (size_t i = 0; i < value_len; i++)
        if ((value[i] >= 0 && value[i] < ' ' && value[i] != '\t') || value[i] == 0x7f)
            return 400;

    if (value_is(line, name, "connection")) {
        if (value_is(value, value_len, "close"))
            request->keep_alive = false;
        else if (value_is(value, value_len, "keep-alive"))
            request->keep_alive = true;
    } else if (value_is(line, name, "transfer-encoding")) {
        request->has_body = true;
    } else if (value_is(line, name, "content-length")) {
        if (value_len == 0)
            return 400;
        for (size_t i = 0; i < value_len; i++) {
            if (value[i] < '0' || value[i] > '9')
                return 400;
            request->has_body |= value[i] != '0';
        }
    }
    return 0;
}

int http_parse_request(const char *data, size_t len, struct http_request *request)
{
    size_t limit = len < HTTP_MAX_HEAD ? len : HTTP_MAX_HEAD;
    const char *at = data, *end = data + limit, *line;
    size_t line_len;
    bool first = true;

    memset(request, 0, sizeof *request);
    // Empty lines in front of a request are passed over.
    while (at < end && (*at == '\r' || *at == '\n'))
        at++;
    while ((line = next_line(&at, end, &line_len))) {
        if (line_len == 0) {
            request->head_len = (size_t)(at - data);
            return 0;
        }
        int status = first ? parse_request_line(line, line_len, request)
                           : parse_header(line, line_len, request);
        if (status)
            return status;
        first = false;
    }
    return len >= HTTP_MAX_HEAD ? 431 : -1;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

static long decode(const char *text, size_t len, char *value, size_t room)
{
    size_t out = 0;

    for (size_t i = 0; i < len; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (text[i] == '%') {
            if (len - i < 3 || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0)
                return -2;
            c = (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        }
        if (c == '\0' || out + 1 >= room)
            return -2;
        value[out++] = c;
    }
    value[out] = '\0';
    return (long)out;
}

long http_query_value(const struct http_request *request, const char *name, char *value,
                      size_t room)
{
    const char *at = request->query, *end = at + request->query_len;
    size_t name_len = strlen(name);

    while (at < end) {
        const char *amp = memchr(at, '&', (size_t)(end - at));
        size_t len = (size_t)((amp ? amp : end) - at);
        if (len > name_len && memcmp(at, name, name_len) == 0 && at[name_len] == '=')
            return decode(at + name_len + 1, len - name_len - 1, value, room);
        at += len + (amp != NULL);
    }
    return -1;
}
