/* cfi.c - finds the FDE for an address in .eh_frame_hdr's search table and parses it and its CIE.
 * cfi_program.c runs the instructions, cfi_expression.c evaluates expressions. */
#include "arch_x86_64.h"
#include "cfi_reader.h"

enum {
    PE_ABSPTR = 0x00,
    PE_ULEB = 0x01,
    PE_UDATA2 = 0x02,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SLEB = 0x09,
    PE_SDATA2 = 0x0a,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_FORMAT = 0x0f,
    PE_PCREL = 0x10,
    PE_DATAREL = 0x30,
    PE_RELATION = 0x70,
    PE_INDIRECT = 0x80,
    PE_OMIT = 0xff,
};

uintptr_t cfi_encoded(struct cfi_cursor *c, uint8_t encoding, uintptr_t data)
{
    uintptr_t here = (uintptr_t)c->at;
    uint64_t value = 0;
    switch (encoding & PE_FORMAT) {
    case PE_ABSPTR:
    case PE_UDATA8:
    case PE_SDATA8:
        value = cfi_read(c, 8);
        break;
    case PE_ULEB:
        value = cfi_uleb(c);
        break;
    case PE_SLEB:
        value = (uint64_t)cfi_sleb(c);
        break;
    case PE_UDATA2:
        value = cfi_read(c, 2);
        break;
    case PE_SDATA2:
        value = (uint64_t)cfi_sign_extend(cfi_read(c, 2), 16);
        break;
    case PE_UDATA4:
        value = cfi_read(c, 4);
        break;
    case PE_SDATA4:
        value = (uint64_t)cfi_sign_extend(cfi_read(c, 4), 32);
        break;
    default:
        c->bad = true;
    }
    switch (encoding & (PE_RELATION | PE_INDIRECT)) {
    case 0:
        return value;
    case PE_PCREL:
        return here + value;
    case PE_DATAREL:
        if (data != 0)
            return data + value;
        break;
    }
    c->bad = true;
    return 0;
}

/* Opens the entry (CIE or FDE) at an address: the cursor stands after the length and ends with the
 * entry. False for the terminator and whatever reaches past the tables. */
static bool open_entry(const struct cfi_tables *t, uintptr_t address, struct cfi_cursor *c)
{
    if (address < (uintptr_t)t->frame || address >= (uintptr_t)t->frame_end)
        return false;
    *c = (struct cfi_cursor){.at = t->frame + (address - (uintptr_t)t->frame), .end = t->frame_end};
    uint64_t length = cfi_read(c, 4);
    if (length == UINT32_MAX)
        length = cfi_read(c, 8);
    if (c->bad || length < 4 || length > (uint64_t)(c->end - c->at))
        return false;
    c->end = c->at + length;
    return true;
}

/* The CIE's part of fde. */
static bool parse_cie(const struct cfi_tables *t, uintptr_t address, struct cfi_fde *fde,
                      bool *augmented)
{
    struct cfi_cursor c;
    if (!open_entry(t, address, &c) || cfi_read(&c, 4) != 0)
        return false;
    uint8_t version = cfi_u8(&c);
    if (version != 1 && version != 3 && version != 4)
        return false;

    const uint8_t *augmentation = c.at;
    const uint8_t *stop = memchr(c.at, 0, (size_t)(c.end - c.at));
    if (stop == NULL)
        return false;
    c.at = stop + 1;
    if (version == 4 && (cfi_u8(&c) != ARCH_WORD || cfi_u8(&c) != 0))
        return false;
    fde->code_align = cfi_uleb(&c);
    fde->data_align = cfi_sleb(&c);
    if ((version == 1 ? cfi_u8(&c) : cfi_uleb(&c)) != ARCH_DWARF_RA)
        return false;

    fde->encoding = PE_ABSPTR;
    *augmented = *augmentation == 'z';
    if (*augmented) {
        uint64_t length = cfi_uleb(&c);
        if (c.bad || length > (uint64_t)(c.end - c.at))
            return false;
        struct cfi_cursor data = {.at = c.at, .end = c.at + length};
        cfi_skip(&c, length);
        while (*++augmentation != 0) {
            switch (*augmentation) {
            case 'R':
                fde->encoding = cfi_u8(&data);
                break;
            case 'L':
                cfi_u8(&data);
                break;
            case 'P': {
                /* The personality routine: only its size matters, and that doesn't depend on what
                 * it is relative to or whether it is indirect. */
                uint8_t encoding = cfi_u8(&data);
                cfi_encoded(&data, encoding & PE_FORMAT, 0);
                break;
            }
            case 'S':
                fde->signal = true;
                break;
            case 'B':
                break;
            default:
                return false;
            }
        }
        if (data.bad)
            return false;
    } else if (*augmentation != 0) {
        return false;
    }
    fde->initial = c;
    return !c.bad;
}

static bool parse_fde(const struct cfi_tables *t, uintptr_t address, struct cfi_fde *fde)
{
    struct cfi_cursor c;
    if (!open_entry(t, address, &c))
        return false;
    uintptr_t here = (uintptr_t)c.at;
    uint64_t back = cfi_read(&c, 4);
    if (c.bad || back == 0 || back > here)
        return false;
    *fde = (struct cfi_fde){0};
    bool augmented;
    if (!parse_cie(t, here - back, fde, &augmented))
        return false;

    fde->start = cfi_encoded(&c, fde->encoding, (uintptr_t)t->hdr);
    uint64_t length = cfi_encoded(&c, fde->encoding & PE_FORMAT, 0);
    if (c.bad || length > UINTPTR_MAX - fde->start)
        return false;
    fde->end = fde->start + length;
    if (augmented)
        cfi_skip(&c, cfi_uleb(&c));
    fde->program = c;
    return !c.bad;
}

/* Reads .eh_frame_hdr up to the table. */
static bool read_header(const struct cfi_tables *t, struct cfi_cursor *c, uintptr_t *frame,
                        uint64_t *count)
{
    uintptr_t base = (uintptr_t)t->hdr;
    *c = (struct cfi_cursor){.at = t->hdr, .end = t->hdr_end};
    uint8_t version = cfi_u8(c);
    uint8_t frame_encoding = cfi_u8(c), count_encoding = cfi_u8(c), table_encoding = cfi_u8(c);
    if (c->bad || version != 1 || count_encoding == PE_OMIT ||
        table_encoding != (PE_DATAREL | PE_SDATA4))
        return false;
    *frame = cfi_encoded(c, frame_encoding, base);
    *count = cfi_encoded(c, count_encoding, base);
    return !c->bad && *count <= (uint64_t)(c->end - c->at) / 8;
}

uintptr_t cfi_frame_address(const struct cfi_tables *tables)
{
    struct cfi_cursor c;
    uintptr_t frame;
    uint64_t count;
    return read_header(tables, &c, &frame, &count) ? frame : 0;
}

/* The FDE's address for pc from the sorted table: pairs of (function start, FDE), both relative to
 * .eh_frame_hdr. 0 and the reason in *status if there is none. */
static uintptr_t search_table(const struct cfi_tables *t, uintptr_t pc, enum cfi_status *status)
{
    uintptr_t base = (uintptr_t)t->hdr, frame;
    struct cfi_cursor c;
    uint64_t count;
    *status = CFI_REFUSED;
    if (!read_header(t, &c, &frame, &count))
        return 0;

    *status = CFI_NONE;
    int64_t wanted = (int64_t)(pc - base);
    uint64_t low = 0, high = count; /* entries before low start at or before pc */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int32_t start;
        memcpy(&start, c.at + 8 * middle, 4);
        if (start <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    int32_t offset;
    memcpy(&offset, c.at + 8 * (low - 1) + 4, 4);
    return base + (uintptr_t)(intptr_t)offset;
}

enum cfi_status cfi_find_rule(const struct cfi_tables *tables, uintptr_t pc, struct cfi_rule *rule)
{
    enum cfi_status status;
    uintptr_t address = search_table(tables, pc, &status);
    if (address == 0)
        return status;
    struct cfi_fde fde;
    if (!parse_fde(tables, address, &fde))
        return CFI_REFUSED;
    if (pc < fde.start || pc >= fde.end)
        return CFI_NONE;
    *rule = (struct cfi_rule){.signal = fde.signal};
    return fde.signal ? CFI_FOUND : cfi_run(&fde, pc, rule);
}
