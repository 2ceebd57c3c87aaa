// SPDX-License-Identifier: MIT
//
// What Swift's Glibc module leaves out of the Linux interface. Header only: declarations, and
// `static inline` wrappers where a macro, a variadic function or a union stands in the way.
// _GNU_SOURCE must not be defined here: Glibc's own module was built without it, and the two
// views of the same headers would then disagree (fd_set, siginfo_t).
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/aio_abi.h>

// Functions that glibc declares for _GNU_SOURCE alone.
extern int memfd_create(const char *name, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
extern const char *strerrorname_np(int number);
extern char **environ;
extern int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Flags hidden in the same way.
enum {
  clinux_POSIX_SPAWN_SETSID = 0x80,
  clinux_F_SETPIPE_SZ = 1031,
  clinux_MFD_CLOEXEC = 1,
};

static inline char **clinux_environ(void) { return environ; }

// File status: what stands behind macros.

static inline int64_t clinux_modified_nanoseconds(const struct stat *status) {
  return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

// /dev/null is character device 1:3 wherever it is bound.
static inline int clinux_is_null_device(const struct stat *status) {
  return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 && minor(status->st_rdev) == 3;
}

// renameat2(2) with RENAME_EXCHANGE, within one directory.
static inline int clinux_exchange(int directory, const char *name, const char *other) {
  return (int)syscall(SYS_renameat2, directory, name, directory, other, 1u << 1);
}

// Processes as descriptors: pidfd_open(2), pidfd_send_signal(2), waitid(2) with P_PIDFD.

static inline int clinux_pidfd_open(pid_t process, unsigned int flags) {
  return (int)syscall(SYS_pidfd_open, process, flags);
}

static inline int clinux_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0u);
}

// `code` is one of CLD_EXITED, CLD_KILLED, CLD_DUMPED; 0 while the process runs.
static inline int clinux_wait_pidfd(int pidfd, int options, int *code, int *status) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  int result = waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &information, options);
  *code = information.si_code;
  *status = information.si_status;
  return result;
}

// A timer that signals the thread that makes it and no other: timer_create(2), SIGEV_THREAD_ID. The
// field for the thread has no public name in glibc.

static inline int clinux_timer_create_for_thread(int signal, timer_t *timer) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = 4 /* SIGEV_THREAD_ID */;
  event.sigev_signo = signal;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  return timer_create(CLOCK_MONOTONIC, &event, timer);
}

// The kernel's asynchronous input and output (io_setup(2) and its kin; glibc has no wrappers).
// Only fsync is wanted of it: since Linux 4.18 that runs on a kernel worker.

static inline int clinux_io_setup(unsigned int events, aio_context_t *context) {
  return (int)syscall(SYS_io_setup, events, context);
}

static inline int clinux_io_destroy(aio_context_t context) {
  return (int)syscall(SYS_io_destroy, context);
}

// Submits one fsync of `descriptor`; `event` is an eventfd that counts completions and `token`
// comes back in io_event.data. The kernel copies the request, so it need not outlive the call.
static inline int clinux_io_submit_fsync(
    aio_context_t context, int descriptor, int event, uint64_t token) {
  struct iocb request;
  memset(&request, 0, sizeof request);
  request.aio_data = token;
  request.aio_lio_opcode = IOCB_CMD_FSYNC;
  request.aio_fildes = (uint32_t)descriptor;
  request.aio_flags = IOCB_FLAG_RESFD;
  request.aio_resfd = (uint32_t)event;
  struct iocb *requests[1] = {&request};
  return (int)syscall(SYS_io_submit, context, 1l, requests);
}

// With a `minimum` above 0 this blocks until so many have come.
static inline int clinux_io_getevents(
    aio_context_t context, long minimum, long maximum, struct io_event *events) {
  return (int)syscall(SYS_io_getevents, context, minimum, maximum, events, (void *)0);
}
