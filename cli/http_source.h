/* http_source.h - a profile from an http server: plain GET over a socket.
 *
 * The server is untrusted: headers, body, redirects and time are bounded. Not thread-safe.
 */
#ifndef APPROF_HTTP_SOURCE_H
#define APPROF_HTTP_SOURCE_H

#include "profile_codec.h"

/* Whether a source is meant as a URL: http://..., https://..., or HOST:PORT/... */
bool http_source_is(const char *source);

/* The body of the answer. seconds > 0 is asked for (seconds=N); timeout > 0 bounds the whole in
 * seconds, otherwise it is 60, or one and a half times seconds, and 5 more. $APPROF_TOKEN is sent
 * as a bearer token, not after a redirect to another server. */
bool http_source_get(const char *url, int64_t seconds, int64_t timeout, struct byte_buffer *out,
                     struct profile_error *error);

#endif
