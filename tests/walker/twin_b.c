/* library: cflags=-fPIC,-O2,-fomit-frame-pointer */
/* twin_b.c - the twin with a large frame. */
#include "twin.h"

TWIN(5000)
