/* library: cflags=-fPIC,-O2,-fomit-frame-pointer libs=-Xlinker,--build-id=none */
/* twin_d.c - the twin with a large frame and no build id. */
#include "twin.h"

TWIN(5000)
