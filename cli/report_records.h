/* report_records.h - what reports that are tables share for -json and -csv. */
#ifndef APPROF_REPORT_RECORDS_H
#define APPROF_REPORT_RECORDS_H

#include "records.h"
#include "report.h"

enum record_format report_records_format(const struct report *report);
/* Opens, and states the facts of the report: type, unit, total. Figures in records are in the unit
 * of the values, divided by -divide_by. */
void report_records_open(const struct report *report, struct records *records);

#endif
