/* library: cflags=-fPIC,-O2,-fomit-frame-pointer */
/* twin_a.c - the twin with a small frame. */
#include "twin.h"

TWIN(520)
