/* report_records.c - see report_records.h. */
#include "report_records.h"

#include "profile_comments.h"

enum record_format report_records_format(const struct report *report)
{
    return report->options.format_json  ? RECORDS_JSON
           : report->options.format_csv ? RECORDS_CSV
                                        : RECORDS_NONE;
}

void report_records_open(const struct report *report, struct records *records)
{
    const struct profile *p = report->profile;
    records_open(records, report_records_format(report), report->out);
    records_fact_text(records, "report", report->format->name);
    if (p->n_mappings > 0) {
        records_fact_text(records, "file", profile_text(p, p->mappings[0].filename));
        records_fact_text(records, "build_id", profile_text(p, p->mappings[0].build_id));
    }
    records_fact_text(records, "type", report->type);
    records_fact_text(records, "unit", report->unit);
    records_fact_int(records, "total", report_divided(report, report->total));
    records_fact_int(records, "time_nanos", p->time_nanos);
    records_fact_int(records, "duration_nanos", p->duration_nanos);
}
