/* modules_permanent.h - which modules can never be unloaded: the program, the libraries that it and
 * they name as needed, the loader, the vDSO and this library. (What a constructor has opened with
 * dlopen is not among them.) Their identity needs no second look.
 */
#ifndef APPROF_MODULES_PERMANENT_H
#define APPROF_MODULES_PERMANENT_H

#include <stdbool.h>
#include <stdint.h>

/* From the constructor: walks the loader's list of modules, which nobody else changes meanwhile. */
void modules_permanent_init(void);

/* map_start as _dl_find_object gives it. Lock-free; false before the above. */
bool modules_is_permanent(uintptr_t map_start);

#endif
