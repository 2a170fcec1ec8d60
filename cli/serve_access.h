/* serve_access.h - who may ask: the Host header and the bearer token.
 *
 * A page on the web can make a browser ask servers on its own machine under a name that it has
 * pointed there (DNS rebinding). What it cannot do is to leave that name out of the Host header.
 */
#ifndef APPROF_SERVE_ACCESS_H
#define APPROF_SERVE_ACCESS_H

#include <stdbool.h>

/* Whether a Host header may be meant for us: localhost and loopback addresses; a server that is
 * open to others takes any numeric address and this machine's name as well; and the names in hosts
 * (separated by commas). NULL is refused. */
bool serve_host_allowed(const char *host, bool open, const char *hosts);

/* Whether an Authorization header (may be NULL) holds the token. Takes as long for a wrong one as
 * for the right one. */
bool serve_token_allowed(const char *authorization, const char *token);

/* The token that is asked for: the option's value, the first line of the file behind "@FILE", or
 * $APPROF_TOKEN (an argument can be seen in ps); "" for none. malloc'd; NULL after an error
 * message.
 */
char *serve_token_read(const char *given);

#endif
