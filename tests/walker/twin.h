/* twin.h - the libraries twin_*.so: the same layout, so that return addresses fall on the same
 * offsets, but frames of different sizes. A rule that outlives its library leads astray. */
#include <stddef.h>

#define TWIN(bytes)                                           \
    void twin_call(void (*callback)(void *), void *argument); \
    void twin_call(void (*callback)(void *), void *argument)  \
    {                                                         \
        volatile char frame[bytes];                           \
        frame[0] = frame[(bytes)-1] = 1;                      \
        callback(argument);                                   \
        frame[1] = frame[0];                                  \
    }
