/* test: link=cli time=120 variant=san */
/* Mangled names that are made to hurt: deep, long, and ones that stand for gigabytes. Each must be
 * refused or answered within its bounds, on a stack of 8 MiB, without a crash. */
#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char out[65536];
static int failures;

static void try(const char *what, const char *name)
{
    for (int style = DEMANGLE_DEFAULT; style <= DEMANGLE_FULL; style++) {
        memset(out, 'x', sizeof out);
        if (demangle(name, (enum demangle_style)style, out, sizeof out) &&
            memchr(out, 0, sizeof out) == NULL) {
            printf("%s: not terminated\n", what);
            failures++;
        }
        /* A small buffer is never overrun. */
        char small[16];
        memset(small, 'x', sizeof small);
        demangle(name, (enum demangle_style)style, small, 8);
        if (memcmp(small + 8, "xxxxxxxx", 8) != 0) {
            printf("%s: wrote past the end\n", what);
            failures++;
        }
    }
}

static void try_repeated(const char *start, const char *piece, size_t n, const char *end)
{
    char *name = malloc(strlen(start) + n * strlen(piece) + strlen(end) + 1);
    char *at = stpcpy(name, start);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, piece);
    strcpy(at, end);
    try(piece, name);
    free(name);
}

static void is(const char *name, enum demangle_style style, const char *wanted)
{
    if (!demangle(name, style, out, sizeof out))
        strcpy(out, "(refused)");
    if (strcmp(out, wanted) != 0) {
        printf("%s: %.200s, wanted %s\n", name, out, wanted);
        failures++;
    }
}

int main(void)
{
    static const char *const pieces[] = {"P",     "K",    "R",     "F",    "N1a",  "I",   "1aI",
                                         "S_",    "T_",   "Dp",    "J",    "pp",   "cl",  "L_Z",
                                         "XsrT_", "A1_",  "M1a",   "ZN1a", "_Z1f", "DTd", "qu",
                                         "nx",    "St1a", "U3foo", "B3a",  "E1bIc"};
    static const size_t lengths[] = {10, 300, 1000, 4000, 8000, 100000};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            try_repeated("_Z1f", pieces[i], lengths[k], "i");
            try_repeated("_ZN1a", pieces[i], lengths[k], "E");
            try_repeated("_Z", pieces[i], lengths[k], "");
            try_repeated("_R", pieces[i], lengths[k], "");
            try_repeated("_RNvC1a", pieces[i], lengths[k], "1b");
        }
    }
    /* Each level doubles what came before. */
    try_repeated("_Z1fP1AI", "S_S_EI", 1000, "E");
    try("doubling",
        "_Z1f1AI1BES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_"
        "ES_IS8_"
        "S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_"
        "SH_ES_"
        "ISI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_E");
    /* Random changes to a real name, seeded. */
    static const char real[] =
        "_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_iESt10_"
        "Select1stIS8_ESt4lessIS5_ESaIS8_EE22_M_emplace_hint_uniqueIJS8_EEESt17_Rb_tree_"
        "iteratorIS8_ESt23_Rb_tree_const_iteratorIS8_EDpOT_";
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        char name[sizeof real];
        memcpy(name, real, sizeof real);
        for (int k = 0; k < 3; k++) {
            random = random * 1103515245u + 12345;
            size_t at = 2 + (random >> 8) % (sizeof real - 3);
            random = random * 1103515245u + 12345;
            name[at] = (char)('0' + (random >> 16) % 75);
        }
        try("changed", name);
    }

    is("_ZN2ns1fIiEEvT_", DEMANGLE_DEFAULT, "ns::f");
    is("_ZN2ns1fIiEEvT_", DEMANGLE_TEMPLATES, "ns::f<int>");
    is("_ZN2ns1fIiEEvT_", DEMANGLE_FULL, "void ns::f<int>(int)");
    is("_ZN2ns1fIiEEvT_", DEMANGLE_NONE, "(refused)");
    is("_ZlsIiERSoS0_RKT_", DEMANGLE_DEFAULT, "operator<<");
    is("_ZltI1aEbRKT_S3_", DEMANGLE_DEFAULT, "operator<");
    is("_ZN1aptEv", DEMANGLE_DEFAULT, "a::operator->");
    is("_ZN1acvSt6vectorIiSaIiEEEv", DEMANGLE_DEFAULT, "a::operator std::vector");
    is("_ZN12_GLOBAL__N_11gEi", DEMANGLE_DEFAULT, "(anonymous namespace)::g");
    is("_ZZ4mainENKUliE_clEi", DEMANGLE_DEFAULT, "main::{lambda(int)#1}::operator()");
    is("_Z3fooi.part.0.cold", DEMANGLE_DEFAULT, "foo");
    is("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", DEMANGLE_DEFAULT,
       "core::fmt::Write::write_fmt");
    is("_RNvCs15kBYyAo9fc_7mycrate7example", DEMANGLE_DEFAULT, "mycrate::example");
    is("malloc", DEMANGLE_DEFAULT, "(refused)");
    return failures != 0;
}
