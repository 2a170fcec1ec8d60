/* library: cflags=-fPIC,-O2,-fomit-frame-pointer libs=-Xlinker,--build-id=none */
/* twin_c.c - the twin with a small frame and no build id. */
#include "twin.h"

TWIN(520)
