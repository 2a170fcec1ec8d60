# approf: `make` builds build/libapprof.so and build/approf. `make demo` shows it at work, `make check` tests it all.
#
# Sources are found by folder: a new .c file in interpose/, proto/ or cli/ needs no line here.

BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= gcc
PROTOC  ?= protoc-c
SAN     ?=
# More for the library's link: tests/hooks/faults.sh builds one with faults.
LIB_EXTRA ?=

VERSION := 0.1.0

WARN     = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
CFLAGS  ?= -O2 -g
BASE     = -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(SAN) -fvisibility=hidden -fPIC -MMD -MP \
           -DAPPROF_VERSION='"$(VERSION)"'
HARDEN   = -Wl,-z,defs,-z,relro,-z,now

PROTO_SRC     := $(wildcard proto/*.c)
INTERPOSE_SRC := $(wildcard interpose/*.c)
INTERPOSE_ASM := $(wildcard interpose/*.S)
CLI_SRC       := $(wildcard cli/*.c)

PROTO_OBJ     := $(PROTO_SRC:%.c=$(BUILD)/%.o) $(BUILD)/proto/profile.pb-c.o
INTERPOSE_OBJ := $(INTERPOSE_SRC:%.c=$(BUILD)/%.o) $(INTERPOSE_ASM:%.S=$(BUILD)/%.o)
CLI_ASM       := $(wildcard cli/*.S)
CLI_OBJ       := $(CLI_SRC:%.c=$(BUILD)/%.o) $(CLI_ASM:%.S=$(BUILD)/%.o)

.PHONY: all lib cli demos clean
all: lib cli
lib: $(BUILD)/libapprof.so
cli: $(BUILD)/approf

# --- what the machine must have ------------------------------------------------------------------
# Looked for once a build folder, before anything else is made: one message instead of a compiler's, and one only.
NEEDS = $(BUILD)/needs-are-there

$(NEEDS): packaging/build-needs.sh
	@mkdir -p $(@D)
	@CC='$(CC) $(CFLAGS)' PROTOC='$(PROTOC)' packaging/build-needs.sh $@.try && : > $@

$(BUILD)/proto/profile.pb-c.c $(PROTO_OBJ) $(INTERPOSE_OBJ) $(CLI_OBJ) $(BUILD)/web/page.html: | $(NEEDS)

# --- proto ---------------------------------------------------------------------------------------
$(BUILD)/proto/profile.pb-c.c $(BUILD)/proto/profile.pb-c.h &: proto/profile.proto
	@mkdir -p $(@D)
	$(PROTOC) --proto_path=proto --c_out=$(BUILD)/proto profile.proto

$(BUILD)/proto/profile.pb-c.o: $(BUILD)/proto/profile.pb-c.c
	$(CC) $(BASE) -c -o $@ $<

$(PROTO_OBJ): | $(BUILD)/proto/profile.pb-c.h

$(BUILD)/proto/%.o: proto/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) -Iinclude -Iproto -I$(BUILD)/proto -c -o $@ $<

$(BUILD)/libproto.a: $(PROTO_OBJ)
	@rm -f $@
	ar rcs $@ $^

# --- the hook ------------------------------------------------------------------------------------
# Frame pointers: the slow paths (hook_*.c) start the stack walk from their own frame record. No stack protector and no
# instrumentation on the way through malloc.
HOOK_FLAGS = -foptimize-sibling-calls -ftls-model=initial-exec \
             -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free \
             -fno-exceptions -fno-stack-protector

$(BUILD)/interpose/hook_%.o: HOOK_FLAGS += -fno-omit-frame-pointer

$(BUILD)/interpose/%.o: interpose/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(HOOK_FLAGS) -Iinclude -Iproto -Iinterpose -c -o $@ $<

$(BUILD)/interpose/%.o: interpose/%.S
	@mkdir -p $(@D)
	$(CC) $(BASE) -Iinclude -Iinterpose -c -o $@ $<

# protobuf-c and zlib are linked in and hidden, so that a target with its own never meets ours.
$(BUILD)/libapprof.so: $(INTERPOSE_OBJ) $(BUILD)/libproto.a interpose/exports.map
	$(CC) $(CFLAGS) $(SAN) -shared -o $@ $(INTERPOSE_OBJ) $(BUILD)/libproto.a \
	    -Wl,-Bstatic -lprotobuf-c -lz -Wl,-Bdynamic $(HARDEN) -Wl,--exclude-libs,ALL -Wl,-Bsymbolic \
	    -Wl,--version-script=interpose/exports.map -Wl,-soname,libapprof.so -Wl,-z,initfirst -Wl,--as-needed $(LIB_EXTRA)

# --- the command ---------------------------------------------------------------------------------
CLI_LIBS = -lprotobuf-c -lz -ldw -lelf -lpcre2-8 -lmicrohttpd -ledit -l:libiberty.a -lm -lpthread

$(BUILD)/cli/%.o: cli/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) -fPIE -Iinclude -Iproto -Icli -c -o $@ $<

# The web page is one file: styles and modules are put into it, no tool beyond awk is needed (docs/WEB.md).
WEB_MODULES = $(addprefix cli/web/,$(shell cat cli/web/order))

$(BUILD)/web/page.html: cli/web/page.html cli/web/page.css cli/web/order cli/web/embed.awk $(WEB_MODULES)
	@mkdir -p $(@D)
	awk -v css=cli/web/page.css -v modules="$(WEB_MODULES)" -f cli/web/embed.awk cli/web/page.html > $@.new && mv $@.new $@

$(BUILD)/cli/web_assets.o: cli/web_assets.S $(BUILD)/web/page.html
	@mkdir -p $(@D)
	$(CC) $(BASE) -I$(BUILD)/web -c -o $@ $<

$(BUILD)/approf: $(CLI_OBJ) $(BUILD)/libproto.a
	$(CC) $(CFLAGS) $(SAN) -pie -o $@ $(CLI_OBJ) $(BUILD)/libproto.a $(HARDEN) -Wl,--as-needed $(CLI_LIBS)

# --- installing --------------------------------------------------------------------------------------
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
MANDIR  ?= $(PREFIX)/share/man/man1
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d

.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BUILD)/approf $(DESTDIR)$(PREFIX)/bin/approf
	install -m 644 $(BUILD)/libapprof.so $(DESTDIR)$(LIBDIR)/libapprof.so
	install -m 644 include/approf.h $(DESTDIR)$(PREFIX)/include/approf.h
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' packaging/approf.pc.in \
	    > $(DESTDIR)$(LIBDIR)/pkgconfig/approf.pc
	install -d $(BUILD)/man $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(BUILD)/approf generate man $(BUILD)/man
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(MANDIR)/
	$(BUILD)/approf generate bash > $(DESTDIR)$(BASHDIR)/approf
	$(BUILD)/approf generate zsh > $(DESTDIR)$(ZSHDIR)/_approf
	$(BUILD)/approf generate fish > $(DESTDIR)$(FISHDIR)/approf.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/approf $(DESTDIR)$(LIBDIR)/libapprof.so $(DESTDIR)$(PREFIX)/include/approf.h \
	    $(DESTDIR)$(LIBDIR)/pkgconfig/approf.pc $(DESTDIR)$(MANDIR)/approf.1 $(DESTDIR)$(MANDIR)/approf-*.1 \
	    $(DESTDIR)$(BASHDIR)/approf $(DESTDIR)$(ZSHDIR)/_approf $(DESTDIR)$(FISHDIR)/approf.fish

# --- everything else lives in its own folder -------------------------------------------------------
-include demo-targets/demo.mk
-include tests/tests.mk
-include bench/bench.mk

clean:
	rm -rf $(BUILD)

-include $(wildcard $(BUILD)/*/*.d)
