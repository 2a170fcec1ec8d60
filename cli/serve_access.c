/* serve_access.c - see serve_access.h. */
#include "serve_access.h"

#include "memory.h"
#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_ROOM = 256 };

/* The name of "name:port" or "[address]:port". */
static bool host_name(const char *host, char name[NAME_ROOM])
{
    const char *end;
    if (*host == '[') {
        host++;
        end = strchr(host, ']');
        if (end == NULL || (end[1] != 0 && end[1] != ':')) {
            return false;
        }
    } else {
        end = host + strcspn(host, ":");
    }
    const char *port = *end == ']' ? end + 1 : end;
    if (*port == ':' && port[1 + strspn(port + 1, "0123456789")] != 0) {
        return false;
    }
    size_t n = (size_t)(end - host);
    if (n == 0 || n >= NAME_ROOM) {
        return false;
    }
    memcpy(name, host, n);
    name[n] = 0;
    if (n > 1 && name[n - 1] == '.') {
        name[n - 1] = 0;
    }
    return true;
}

static bool listed(const char *name, const char *hosts)
{
    size_t n = strlen(name);
    for (size_t length; *hosts != 0; hosts += length + (hosts[length] == ',')) {
        length = strcspn(hosts, ",");
        if (length == n && strncasecmp(hosts, name, n) == 0) {
            return true;
        }
    }
    return false;
}

bool serve_host_allowed(const char *host, bool open, const char *hosts)
{
    char name[NAME_ROOM], own[NAME_ROOM] = "";
    struct in_addr four;
    struct in6_addr six;
    if (host == NULL || !host_name(host, name)) {
        return false;
    }
    if (strcasecmp(name, "localhost") == 0 || listed(name, hosts)) {
        return true;
    }
    if (inet_pton(AF_INET, name, &four) == 1) {
        return open || ntohl(four.s_addr) >> 24 == 127;
    }
    if (inet_pton(AF_INET6, name, &six) == 1) {
        return open || IN6_IS_ADDR_LOOPBACK(&six);
    }
    return open && gethostname(own, sizeof own - 1) == 0 && strcasecmp(name, own) == 0;
}

bool serve_token_allowed(const char *authorization, const char *token)
{
    static const char scheme[] = "Bearer ";
    size_t n = strlen(token);
    if (authorization == NULL || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    const char *given = authorization + sizeof scheme - 1;
    given += strspn(given, " ");
    size_t n_given = strlen(given);
    /* As many steps as the client sent bytes, whatever they are. */
    volatile unsigned char different = n != n_given;
    for (size_t i = 0; i < n_given; i++) {
        different |= (unsigned char)(given[i] ^ token[n > 0 ? i % n : 0]);
    }
    return n > 0 && different == 0;
}

char *serve_token_read(const char *given)
{
    char text[1024];
    const char *environment = getenv("APPROF_TOKEN");
    if (*given != '@') {
        return memory_print("%s", *given == 0 && environment != NULL ? environment : given);
    }
    FILE *file = fopen(given + 1, "re");
    size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = 0;
    if (file != NULL) {
        fclose(file);
    }
    text[strcspn(text, "\r\n")] = 0;
    if (text[0] == 0) {
        message_error("-token: %s: %s", given + 1,
                      file == NULL ? message_errno(errno) : "empty file");
        message_hint("-token @FILE takes the token from the first line of a file");
        return NULL;
    }
    return memory_print("%s", text);
}
