/* cfi_expression.c - evaluates DWARF expressions symbolically: registers stay names, the program
 * counter is a number. What comes out is base + offset, or one load from there plus an addend,
 * which is what compilers and the linker's PLT write; anything richer is refused. */
#include "arch_x86_64.h"
#include "cfi_reader.h"

enum expression_op {
    EX_DEREF = 0x06,
    EX_CONST1U = 0x08,
    EX_CONST1S = 0x09,
    EX_CONST2U = 0x0a,
    EX_CONST2S = 0x0b,
    EX_CONST4U = 0x0c,
    EX_CONST4S = 0x0d,
    EX_CONST8U = 0x0e,
    EX_CONST8S = 0x0f,
    EX_CONSTU = 0x10,
    EX_CONSTS = 0x11,
    EX_AND = 0x1a,
    EX_MINUS = 0x1c,
    EX_PLUS = 0x22,
    EX_PLUS_UCONST = 0x23,
    EX_SHL = 0x24,
    EX_EQ = 0x29,
    EX_GE = 0x2a,
    EX_GT = 0x2b,
    EX_LE = 0x2c,
    EX_LT = 0x2d,
    EX_NE = 0x2e,
    EX_LIT0 = 0x30,
    EX_LIT31 = 0x4f,
    EX_BREG0 = 0x70,
    EX_BREG31 = 0x8f,
    EX_NOP = 0x96,
};

enum { EXPRESSION_STACK = 8 };

static struct cfi_value constant(uint64_t value)
{
    return (struct cfi_value){.term = CFI_TERM_CONST, .offset = value};
}

static void add_to(struct cfi_value *value, uint64_t number)
{
    if (value->deref)
        value->add += number;
    else
        value->offset += number;
}

static bool is_constant(const struct cfi_value *value)
{
    return value->term == CFI_TERM_CONST && !value->deref;
}

/* a OP b, for two numbers, or a sum of which one part is a number. */
static bool combine(uint8_t op, struct cfi_value *a, struct cfi_value b)
{
    if (op == EX_PLUS) {
        if (is_constant(&b)) {
            add_to(a, b.offset);
            return true;
        }
        if (is_constant(a)) {
            add_to(&b, a->offset);
            *a = b;
            return true;
        }
        return false;
    }
    if (!is_constant(&b))
        return false;
    if (op == EX_MINUS) {
        add_to(a, 0 - b.offset);
        return true;
    }
    if (!is_constant(a))
        return false;
    int64_t x = (int64_t)a->offset, y = (int64_t)b.offset;
    switch (op) {
    case EX_AND:
        a->offset &= b.offset;
        return true;
    case EX_SHL:
        a->offset = b.offset < 64 ? a->offset << b.offset : 0;
        return true;
    case EX_EQ:
        a->offset = x == y;
        return true;
    case EX_NE:
        a->offset = x != y;
        return true;
    case EX_GE:
        a->offset = x >= y;
        return true;
    case EX_GT:
        a->offset = x > y;
        return true;
    case EX_LE:
        a->offset = x <= y;
        return true;
    case EX_LT:
        a->offset = x < y;
        return true;
    default:
        return false;
    }
}

/* What op pushes, if it is one that only pushes. */
static bool operand(uint8_t op, struct cfi_cursor *c, uintptr_t pc, struct cfi_value *value)
{
    if (op >= EX_LIT0 && op <= EX_LIT31) {
        *value = constant(op - EX_LIT0);
        return true;
    }
    if (op >= EX_CONST1U && op <= EX_CONST8S) {
        unsigned bytes = 1u << ((op - EX_CONST1U) / 2);
        uint64_t number = cfi_read(c, bytes);
        if ((op & 1) != 0)
            number = (uint64_t)cfi_sign_extend(number, 8 * bytes);
        *value = constant(number);
        return true;
    }
    if (op >= EX_BREG0 && op <= EX_BREG31) {
        uint64_t offset = (uint64_t)cfi_sleb(c);
        switch (op - EX_BREG0) {
        case ARCH_DWARF_SP:
            *value = (struct cfi_value){.term = CFI_TERM_SP, .offset = offset};
            return true;
        case ARCH_DWARF_FP:
            *value = (struct cfi_value){.term = CFI_TERM_FP, .offset = offset};
            return true;
        case ARCH_DWARF_RA:
            *value = constant(pc + offset);
            return true;
        default:
            c->bad = true;
            return false;
        }
    }
    switch (op) {
    case EX_CONSTU:
        *value = constant(cfi_uleb(c));
        return true;
    case EX_CONSTS:
        *value = constant((uint64_t)cfi_sleb(c));
        return true;
    default:
        return false;
    }
}

bool cfi_evaluate(struct cfi_cursor c, uintptr_t pc, bool with_cfa, struct cfi_value *result)
{
    struct cfi_value stack[EXPRESSION_STACK];
    unsigned n = 0;
    if (with_cfa)
        stack[n++] = (struct cfi_value){.term = CFI_TERM_CFA};

    while (c.at < c.end) {
        uint8_t op = cfi_u8(&c);
        struct cfi_value value;
        if (operand(op, &c, pc, &value)) {
            if (n == EXPRESSION_STACK)
                return false;
            stack[n++] = value;
        } else if (c.bad) {
            return false;
        } else if (op == EX_NOP) {
            continue;
        } else if (n == 0) {
            return false;
        } else if (op == EX_PLUS_UCONST) {
            add_to(&stack[n - 1], cfi_uleb(&c));
        } else if (op == EX_DEREF) {
            if (stack[n - 1].deref || stack[n - 1].term == CFI_TERM_CONST)
                return false;
            stack[n - 1].deref = true;
        } else {
            if (n < 2 || !combine(op, &stack[n - 2], stack[n - 1]))
                return false;
            n--;
        }
    }
    if (c.bad || n == 0)
        return false;
    *result = stack[n - 1];
    return true;
}
