# SPDX-License-Identifier: MIT
#
# make test     installs what is missing, builds, runs every test and check
# make check    the checks alone; needs a debug build
# make demo     shows the main job on real services, then cleans up; KEEP=1 leaves a shell open
#               on a terminal
# make build    release binaries: .build/release/toggled and .build/release/togglectl
# make bench    the figures of Benchmarks/README.md
# make install  DESTDIR= PREFIX=/usr; make uninstall takes the same files away
# make deps     Debian packages that building and testing need, installed only where missing

SWIFT ?= swift
CC = gcc
CFLAGS ?= -O2 -g
PREFIX ?= /usr
DESTDIR ?=
INSTALL ?= install

bindir = $(PREFIX)/bin
libexecdir = $(PREFIX)/libexec
datadir = $(PREFIX)/share
mandir = $(datadir)/man
docdir = $(datadir)/doc/toggled
rowsdir = $(datadir)/toggled/rows
unitdir = $(PREFIX)/lib/systemd
# dbus-daemon reads policies of /usr and /etc alone, whatever the prefix is.
policydir = $(if $(filter /usr,$(PREFIX)),/usr/share,/etc)/dbus-1/system.d

# The runtime is linked in, so that the binaries run where there is no Swift; libstdc++ comes
# from the archive in .build/static, which is all the linker finds under that name. These flags
# stay out of Package.swift because there they would reach the test bundle as well.
static = $(CURDIR)/.build/static
release = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  -Xlinker "-L$(static)" -Xlinker --as-needed -Xlinker --gc-sections \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -s

bench_programs = client get-service latency tree-service
bench_dir = .build/bench

.NOTPARALLEL:
.PHONY: all deps build test check demo bench install uninstall clean

all: build

deps:
	@.ci/deps

build: $(static)/libstdc++.a
	$(SWIFT) build $(release) --product toggled
	$(SWIFT) build $(release) --product togglectl

$(static)/libstdc++.a:
	@mkdir -p "$(static)"
	@archive=$$($(CC) -print-file-name=libstdc++.a) && \
	  case $$archive in /*) ln -sf "$$archive" "$@" ;; \
	  *) echo "no libstdc++.a: run make deps" >&2; exit 1 ;; esac

# Everything is tried, whatever fails first, and what the tests say comes last; but when checks
# failed, a line after it says so, as their findings are far above by then.
test: deps
	$(SWIFT) build --build-tests
	@checked=0; $(MAKE) --no-print-directory check || checked=$$?; \
	  tested=0; $(SWIFT) test --skip-build --disable-xctest || tested=$$?; \
	  [ $$checked = 0 ] || { echo "test: the checks failed: run make check" >&2; exit $$checked; }; \
	  exit $$tested

check: $(bench_programs:%=$(bench_dir)/%)
	@SWIFT="$(SWIFT)" .ci/check

demo: deps build
	@KEEP="$(KEEP)" Config/demo/run .build/release

bench: deps build $(bench_programs:%=$(bench_dir)/%)
	@Benchmarks/run .build/release $(bench_dir)

$(bench_dir)/%: Benchmarks/%.c Benchmarks/common.c Benchmarks/common.h
	@mkdir -p $(bench_dir)
	$(CC) -std=c11 -Wall -Wextra -Werror $(CFLAGS) $$(pkg-config --cflags dbus-1) \
	  -o $@ $(filter %.c,$^) $$(pkg-config --libs dbus-1)

install:
	@for program in toggled togglectl; do \
	  [ -x .build/release/$$program ] || \
	    { echo "install: no .build/release/$$program: run make build first" >&2; exit 1; }; \
	done
	$(INSTALL) -D -m 755 .build/release/toggled "$(DESTDIR)$(libexecdir)/toggled"
	$(INSTALL) -D -m 755 .build/release/togglectl "$(DESTDIR)$(bindir)/togglectl"
	$(INSTALL) -D -m 644 Config/dbus-1/org.toggled.conf "$(DESTDIR)$(policydir)/org.toggled.conf"
	for bus in system user; do \
	  case $$bus in user) services=services ;; *) services=system-services ;; esac; \
	  $(INSTALL) -d "$(DESTDIR)$(unitdir)/$$bus" "$(DESTDIR)$(datadir)/dbus-1/$$services" && \
	  sed 's|/usr/libexec/|$(libexecdir)/|' systemd/$$bus/toggled.service \
	    > "$(DESTDIR)$(unitdir)/$$bus/toggled.service" && \
	  sed 's|/usr/libexec/|$(libexecdir)/|' Config/dbus-1/$$services/org.toggled.service \
	    > "$(DESTDIR)$(datadir)/dbus-1/$$services/org.toggled.service" && \
	  chmod 644 "$(DESTDIR)$(unitdir)/$$bus/toggled.service" \
	    "$(DESTDIR)$(datadir)/dbus-1/$$services/org.toggled.service" || exit 1; \
	done
	for page in Config/man/*.[158]; do \
	  $(INSTALL) -D -m 644 $$page "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}" || exit 1; \
	done
	$(INSTALL) -d "$(DESTDIR)$(rowsdir)"
	$(INSTALL) -m 644 Config/rows/* "$(DESTDIR)$(rowsdir)"
	$(INSTALL) -d "$(DESTDIR)$(docdir)/examples"
	$(INSTALL) -m 644 Config/demo/rows/* "$(DESTDIR)$(docdir)/examples"
	$(INSTALL) -m 644 LICENSE README.md CHANGELOG.md "$(DESTDIR)$(docdir)"

# What others have put among the rows stays.
uninstall:
	rm -f "$(DESTDIR)$(libexecdir)/toggled" "$(DESTDIR)$(bindir)/togglectl" \
	  "$(DESTDIR)$(policydir)/org.toggled.conf" \
	  "$(DESTDIR)$(unitdir)/system/toggled.service" "$(DESTDIR)$(unitdir)/user/toggled.service" \
	  "$(DESTDIR)$(datadir)/dbus-1/system-services/org.toggled.service" \
	  "$(DESTDIR)$(datadir)/dbus-1/services/org.toggled.service"
	for page in Config/man/*.[158]; do \
	  rm -f "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}"; \
	done
	for file in Config/rows/*; do rm -f "$(DESTDIR)$(rowsdir)/$${file##*/}"; done
	rmdir "$(DESTDIR)$(rowsdir)" "$(DESTDIR)$(datadir)/toggled" 2>/dev/null || true
	rm -rf "$(DESTDIR)$(docdir)"

clean:
	rm -rf .build
