/* cfi_program.c - runs an FDE's instructions up to an address. Of all registers only the three that
 * the walker follows are kept: stack pointer, frame pointer and return address. */
#include "arch_x86_64.h"
#include "cfi_reader.h"

enum op {
    /* The two highest bits, operand in the rest. */
    OP_ADVANCE_LOC = 0x40,
    OP_OFFSET = 0x80,
    OP_RESTORE = 0xc0,

    OP_NOP = 0x00,
    OP_SET_LOC = 0x01,
    OP_ADVANCE_LOC1 = 0x02,
    OP_ADVANCE_LOC2 = 0x03,
    OP_ADVANCE_LOC4 = 0x04,
    OP_OFFSET_EXTENDED = 0x05,
    OP_RESTORE_EXTENDED = 0x06,
    OP_UNDEFINED = 0x07,
    OP_SAME_VALUE = 0x08,
    OP_REGISTER = 0x09,
    OP_REMEMBER_STATE = 0x0a,
    OP_RESTORE_STATE = 0x0b,
    OP_DEF_CFA = 0x0c,
    OP_DEF_CFA_REGISTER = 0x0d,
    OP_DEF_CFA_OFFSET = 0x0e,
    OP_DEF_CFA_EXPRESSION = 0x0f,
    OP_EXPRESSION = 0x10,
    OP_OFFSET_EXTENDED_SF = 0x11,
    OP_DEF_CFA_SF = 0x12,
    OP_DEF_CFA_OFFSET_SF = 0x13,
    OP_VAL_OFFSET = 0x14,
    OP_VAL_OFFSET_SF = 0x15,
    OP_VAL_EXPRESSION = 0x16,
    OP_GNU_ARGS_SIZE = 0x2e,
};

enum how { HOW_UNSET, HOW_SAME, HOW_UNDEFINED, HOW_AT, HOW_IS, HOW_EXPRESSION, HOW_OTHER };

struct saved {
    enum how how;
    int64_t offset; /* from the CFA */
    struct cfi_cursor expression;
};

struct row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    bool cfa_is_expression;
    struct cfi_cursor cfa_expression;
    struct saved sp, fp, ra;
};

/* Compilers nest remember/restore one deep; hand-written assembly, two. */
enum { REMEMBERED = 8 };

struct machine {
    const struct cfi_fde *fde;
    uintptr_t location;
    struct row row, initial;
    struct row remembered[REMEMBERED];
    unsigned n_remembered;
};

static struct saved *saved_in(struct row *row, uint64_t reg)
{
    switch (reg) {
    case ARCH_DWARF_SP:
        return &row->sp;
    case ARCH_DWARF_FP:
        return &row->fp;
    case ARCH_DWARF_RA:
        return &row->ra;
    default:
        return NULL;
    }
}

static void set(struct machine *m, uint64_t reg, enum how how, int64_t offset)
{
    struct saved *saved = saved_in(&m->row, reg);
    if (saved != NULL)
        *saved = (struct saved){.how = how, .offset = offset};
}

static void restore(struct machine *m, uint64_t reg)
{
    struct saved *saved = saved_in(&m->row, reg);
    if (saved != NULL)
        *saved = *saved_in(&m->initial, reg);
}

static struct cfi_cursor block(struct cfi_cursor *c)
{
    uint64_t length = cfi_uleb(c);
    struct cfi_cursor inner = {.at = c->at, .end = c->at};
    cfi_skip(c, length);
    inner.end = c->at;
    return inner;
}

/* Offsets are multiplied as unsigned: what overflows is nonsense anyway, and refused later. */
static int64_t factored(const struct machine *m, uint64_t offset)
{
    return (int64_t)(offset * (uint64_t)m->fde->data_align);
}

static bool def_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    m->row.cfa_register = reg;
    m->row.cfa_offset = offset;
    m->row.cfa_is_expression = false;
    return true;
}

/* One instruction. False when the location passes pc (the row is final) or on what isn't known; the
 * latter sets c->bad. */
static bool step(struct machine *m, struct cfi_cursor *c, uintptr_t pc)
{
    uint8_t op = cfi_u8(c);
    uint64_t low = op & 0x3f, reg;
    struct saved *saved;
    if (c->bad)
        return false;

    uintptr_t next = m->location;
    switch (op & 0xc0) {
    case OP_ADVANCE_LOC:
        next += low * m->fde->code_align;
        goto advance;
    case OP_OFFSET:
        set(m, low, HOW_AT, factored(m, cfi_uleb(c)));
        return true;
    case OP_RESTORE:
        restore(m, low);
        return true;
    }

    switch ((enum op)op) {
    case OP_NOP:
        return true;
    case OP_SET_LOC:
        next = cfi_encoded(c, m->fde->encoding, 0);
        goto advance;
    case OP_ADVANCE_LOC1:
        next += cfi_read(c, 1) * m->fde->code_align;
        goto advance;
    case OP_ADVANCE_LOC2:
        next += cfi_read(c, 2) * m->fde->code_align;
        goto advance;
    case OP_ADVANCE_LOC4:
        next += cfi_read(c, 4) * m->fde->code_align;
        goto advance;
    case OP_OFFSET_EXTENDED:
        reg = cfi_uleb(c);
        set(m, reg, HOW_AT, factored(m, cfi_uleb(c)));
        return true;
    case OP_OFFSET_EXTENDED_SF:
        reg = cfi_uleb(c);
        set(m, reg, HOW_AT, factored(m, (uint64_t)cfi_sleb(c)));
        return true;
    case OP_VAL_OFFSET:
        reg = cfi_uleb(c);
        set(m, reg, HOW_IS, factored(m, cfi_uleb(c)));
        return true;
    case OP_VAL_OFFSET_SF:
        reg = cfi_uleb(c);
        set(m, reg, HOW_IS, factored(m, (uint64_t)cfi_sleb(c)));
        return true;
    case OP_RESTORE_EXTENDED:
        restore(m, cfi_uleb(c));
        return true;
    case OP_UNDEFINED:
        set(m, cfi_uleb(c), HOW_UNDEFINED, 0);
        return true;
    case OP_SAME_VALUE:
        set(m, cfi_uleb(c), HOW_SAME, 0);
        return true;
    case OP_REGISTER:
        reg = cfi_uleb(c);
        cfi_uleb(c);
        set(m, reg, HOW_OTHER, 0);
        return true;
    case OP_EXPRESSION:
    case OP_VAL_EXPRESSION:
        reg = cfi_uleb(c);
        set(m, reg, op == OP_EXPRESSION ? HOW_EXPRESSION : HOW_OTHER, 0);
        saved = saved_in(&m->row, reg);
        struct cfi_cursor expression = block(c);
        if (saved != NULL)
            saved->expression = expression;
        return true;
    case OP_REMEMBER_STATE:
        if (m->n_remembered == REMEMBERED)
            break;
        m->remembered[m->n_remembered++] = m->row;
        return true;
    case OP_RESTORE_STATE:
        if (m->n_remembered == 0)
            break;
        m->row = m->remembered[--m->n_remembered];
        return true;
    case OP_DEF_CFA:
        reg = cfi_uleb(c);
        return def_cfa(m, reg, (int64_t)cfi_uleb(c));
    case OP_DEF_CFA_SF:
        reg = cfi_uleb(c);
        return def_cfa(m, reg, factored(m, (uint64_t)cfi_sleb(c)));
    case OP_DEF_CFA_REGISTER:
        if (m->row.cfa_is_expression)
            break;
        m->row.cfa_register = cfi_uleb(c);
        return true;
    case OP_DEF_CFA_OFFSET:
        if (m->row.cfa_is_expression)
            break;
        m->row.cfa_offset = (int64_t)cfi_uleb(c);
        return true;
    case OP_DEF_CFA_OFFSET_SF:
        if (m->row.cfa_is_expression)
            break;
        m->row.cfa_offset = factored(m, (uint64_t)cfi_sleb(c));
        return true;
    case OP_DEF_CFA_EXPRESSION:
        m->row.cfa_is_expression = true;
        m->row.cfa_expression = block(c);
        return true;
    case OP_GNU_ARGS_SIZE:
        cfi_uleb(c);
        return true;
    default:
        break;
    }
    c->bad = true;
    return false;

advance:
    if (next > pc || next < m->location)
        return false;
    m->location = next;
    return true;
}

static bool run(struct machine *m, struct cfi_cursor program, uintptr_t pc)
{
    while (program.at < program.end && step(m, &program, pc))
        ;
    return !program.bad;
}

static bool make_cfa(const struct row *row, uintptr_t pc, struct cfi_rule *rule)
{
    struct cfi_value value = {.offset = (uint64_t)row->cfa_offset};
    if (row->cfa_is_expression) {
        if (!cfi_evaluate(row->cfa_expression, pc, false, &value))
            return false;
    } else if (row->cfa_register == ARCH_DWARF_SP) {
        value.term = CFI_TERM_SP;
    } else if (row->cfa_register == ARCH_DWARF_FP) {
        value.term = CFI_TERM_FP;
    } else if (row->cfa_register < ARCH_DWARF_RA) {
        rule->base = CFI_BASE_OTHER;
        rule->reg = (uint8_t)row->cfa_register;
        rule->offset = row->cfa_offset;
        return true;
    }
    if (value.term != CFI_TERM_SP && value.term != CFI_TERM_FP)
        return false;
    rule->base = value.term == CFI_TERM_FP ? CFI_BASE_FP : CFI_BASE_SP;
    rule->deref = value.deref;
    rule->offset = (int64_t)value.offset;
    rule->add = (int64_t)value.add;
    return true;
}

static bool make_fp(const struct saved *fp, uintptr_t pc, struct cfi_rule *rule)
{
    struct cfi_value value;
    switch (fp->how) {
    case HOW_UNSET:
    case HOW_SAME:
        rule->fp = CFI_FP_SAME;
        return true;
    case HOW_UNDEFINED:
        rule->fp = CFI_FP_LOST;
        return true;
    case HOW_AT:
        rule->fp = CFI_FP_AT_CFA;
        rule->fp_offset = fp->offset;
        return true;
    case HOW_EXPRESSION:
        if (!cfi_evaluate(fp->expression, pc, true, &value) || value.deref ||
            value.term == CFI_TERM_CONST)
            return false;
        rule->fp = value.term == CFI_TERM_FP   ? CFI_FP_AT_FP
                   : value.term == CFI_TERM_SP ? CFI_FP_AT_SP
                                               : CFI_FP_AT_CFA;
        rule->fp_offset = (int64_t)value.offset;
        return true;
    default:
        return false;
    }
}

enum cfi_status cfi_run(const struct cfi_fde *fde, uintptr_t pc, struct cfi_rule *rule)
{
    struct machine m;
    m.fde = fde;
    m.location = fde->start;
    m.n_remembered = 0;
    memset(&m.row, 0, sizeof m.row);
    m.row.cfa_register = UINT64_MAX;
    memset(&m.initial, 0, sizeof m.initial);
    if (!run(&m, fde->initial, UINTPTR_MAX))
        return CFI_REFUSED;
    m.initial = m.row;
    m.location = fde->start;
    if (!run(&m, fde->program, pc))
        return CFI_REFUSED;

    if (m.row.ra.how == HOW_UNDEFINED) {
        rule->end = true;
        return CFI_FOUND;
    }
    bool ra_usual = m.row.ra.how == HOW_AT && m.row.ra.offset == ARCH_RA_OFFSET;
    bool sp_usual = m.row.sp.how == HOW_UNSET || m.row.sp.how == HOW_SAME ||
                    (m.row.sp.how == HOW_IS && m.row.sp.offset == 0);
    if (!ra_usual || !sp_usual || !make_cfa(&m.row, pc, rule) || !make_fp(&m.row.fp, pc, rule))
        return CFI_REFUSED;
    return CFI_FOUND;
}
