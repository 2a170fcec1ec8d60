/* missing_names.h - tells a person at a terminal which file's code has no names, or no lines.
 *
 * Distributions strip what they ship: rows are then [libfoo.so.1], or functions without a line, and
 * nothing in the table says what can be done. Says one hint, on standard error, if that is a
 * terminal and if it is about a tenth of the report's total or more.
 */
#ifndef APPROF_MISSING_NAMES_H
#define APPROF_MISSING_NAMES_H

#include "report.h"

/* lines: rows are lines, so that code with names alone counts too. */
void missing_names_hint(const struct report *report, bool lines);

#endif
