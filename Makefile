# SPDX-License-Identifier: MIT
#
# make test     installs what is missing, builds, runs every test and check
# make test-system  those tests alone that install the Debian package in a booted machine
# make check    the checks alone; needs a debug build
# make demo     shows the main job on real services, then cleans up; KEEP=1 leaves a shell open
#               on a terminal
# make build    release binaries: .build/release/toggled and .build/release/togglectl
# make exposure what systemd says of the system unit's sandbox, and of others to compare it with
# make bench    the figures of Benchmarks/README.md
# make install  DESTDIR= PREFIX=/usr; make uninstall takes the same files away
# make deb      a Debian package, in .build/deb
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
systemunitdir = $(PREFIX)/lib/systemd/system
userunitdir = $(PREFIX)/lib/systemd/user
# Whatever the prefix is, dbus-daemon, polkitd and the system's toggled read these of /usr/share.
policydir = /usr/share/dbus-1/system.d
actionsdir = /usr/share/polkit-1/actions
rowsdir = /usr/share/toggled/rows

# What is installed, each file with the folder it goes to.
files = \
  .build/release/toggled:$(libexecdir) \
  .build/release/togglectl:$(bindir) \
  systemd/system/toggled.service:$(systemunitdir) \
  systemd/user/toggled.service:$(userunitdir) \
  Config/dbus-1/system-services/org.toggled.service:$(datadir)/dbus-1/system-services \
  Config/dbus-1/services/org.toggled.service:$(datadir)/dbus-1/services \
  Config/dbus-1/system.d/org.toggled.conf:$(policydir) \
  Config/polkit-1/actions/org.toggled.policy:$(actionsdir) \
  $(addsuffix :$(rowsdir),$(wildcard Config/rows/*)) \
  $(foreach page,$(wildcard Config/man/*),$(page):$(mandir)/man$(subst .,,$(suffix $(page)))) \
  $(addsuffix :$(docdir)/examples/rows,$(wildcard Config/demo/rows/*)) \
  $(addsuffix :$(docdir)/examples/polkit,$(wildcard Config/polkit-1/rules.d/*)) \
  $(addsuffix :$(docdir)/examples/systemd,$(wildcard Config/systemd/*)) \
  $(addsuffix :$(docdir),README.md SECURITY.md CHANGELOG.md LICENSE)

# The runtime is linked in, so that the binaries run where there is no Swift; libstdc++ comes
# from the archive in .build/static, which is all the linker finds under that name. These flags
# stay out of Package.swift because there they would reach the test bundle as well. Each start of
# a program costs what it loads and looks up: nothing is exported, for nobody looks anything up in
# it, and the unwinder is linked in as well, which saves loading libgcc_s for it alone.
static = $(CURDIR)/.build/static
release = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  -Xlinker "-L$(static)" -Xlinker --as-needed -Xlinker --gc-sections \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now -Xlinker -s \
  -Xlinker --no-export-dynamic -Xswiftc -Xclang-linker -Xswiftc -static-libgcc

bench_programs = client get-service latency tree-service
bench_dir = .build/bench

.NOTPARALLEL:
.PHONY: all deps build test test-system check demo exposure bench install uninstall deb clean

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
# failed, a line after it says so, as their findings are far above by then. The demo is the README's
# first command, so it is tried as well. The tests run in three parts, for all buses and machines
# that are up at a time share what the kernel gives one user, such as 128 instances of inotify.
test: deps deb
	$(SWIFT) build --build-tests
	@checked=0; $(MAKE) --no-print-directory check || checked=$$?; \
	  Config/demo/run .build/release >.build/demo.log 2>&1 </dev/null || \
	    { checked=$$?; cat .build/demo.log >&2; echo "test: the demo failed" >&2; }; \
	  tested=0; \
	  for part in "--filter InstalledTests" "--filter IntegrationTests" \
	    "--skip InstalledTests|IntegrationTests"; do \
	    $(SWIFT) test --skip-build --disable-xctest $$part || \
	      { tested=$$?; failed="$$failed $$part"; }; \
	  done; \
	  [ $$tested = 0 ] || echo "test: failed: swift test$$failed" >&2; \
	  [ $$checked = 0 ] || { echo "test: the checks failed: run make check" >&2; exit $$checked; }; \
	  exit $$tested

test-system: deps deb
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest --filter InstalledTests
	@Tests/TestSupport/machine check 2>&1 | sed 's/^machine: /test-system: was skipped: it /' >&2

check: $(bench_programs:%=$(bench_dir)/%)
	@SWIFT="$(SWIFT)" .ci/check

demo: deps build
	@KEEP="$(KEEP)" Config/demo/run .build/release

exposure:
	@for unit in systemd/system/toggled.service $(addprefix /lib/systemd/system/, \
	  systemd-hostnamed.service systemd-timedated.service power-profiles-daemon.service); do \
	  systemd-analyze security --offline=true --no-pager $$unit | tail -n 1; \
	done

bench: deps build $(bench_programs:%=$(bench_dir)/%)
	@Benchmarks/run .build/release $(bench_dir)

$(bench_dir)/%: Benchmarks/%.c Benchmarks/common.c Benchmarks/common.h
	@mkdir -p $(bench_dir)
	$(CC) -std=c11 -Wall -Wextra -Werror $(CFLAGS) $$(pkg-config --cflags dbus-1) \
	  -o $@ $(filter %.c,$^) $$(pkg-config --libs dbus-1)

install:
	@case "$(PREFIX)" in /usr | /usr/local) ;; *) \
	  echo "install: PREFIX=$(PREFIX): systemd and dbus-daemon look in /usr and /usr/local alone;" \
	    "take one of them, and DESTDIR= for what is put together elsewhere" >&2; exit 1 ;; \
	esac
	@for program in toggled togglectl; do \
	  [ -x .build/release/$$program ] || \
	    { echo "install: no .build/release/$$program: run make build first" >&2; exit 1; }; \
	done
	@set -e; for file in $(files); do \
	  source=$${file%%:*} target=$${file#*:}; target=$$target/$${source##*/}; mode=644; \
	  case $$source in .build/*) mode=755 ;; esac; \
	  echo "installing $$target"; \
	  $(INSTALL) -D -m $$mode "$$source" "$(DESTDIR)$$target"; \
	  case $$source in *.service) \
	    sed -i 's|/usr/libexec/|$(libexecdir)/|' "$(DESTDIR)$$target" ;; \
	  esac; \
	done

# What others have put among the rows stays, and so does what the daemon keeps.
uninstall:
	@for file in $(files); do \
	  source=$${file%%:*} target=$${file#*:}; rm -f "$(DESTDIR)$$target/$${source##*/}"; \
	done
	@cd "$(DESTDIR)/" && for folder in $(rowsdir) $(docdir)/examples/rows \
	  $(docdir)/examples/polkit $(docdir)/examples/systemd; do \
	  rmdir -p --ignore-fail-on-non-empty ".$$folder" 2>/dev/null || true; \
	done

# debhelper works in a folder of its own, which dpkg puts the package beside: the source tree stays
# as it is, and what has been built is not built again.
deb: build
	@rm -rf .build/deb && mkdir -p .build/deb/package && cp -R debian .build/deb/package
	cd .build/deb/package && SOURCE=../../.. dpkg-buildpackage --build=binary --no-sign
	@rm -rf .build/deb/package
	lintian --allow-root --fail-on error,warning --info --display-info .build/deb/*.changes

clean:
	rm -rf .build
