/* env_options.c - the list of env_options.h as data. */
#include "env_options.h"

const struct env_option env_options[N_ENV_OPTIONS] = {
#define ENV_OPTION(field, name, initial, unit, help) {name, initial, unit, help},
    ENV_OPTIONS(ENV_OPTION)
#undef ENV_OPTION
};
