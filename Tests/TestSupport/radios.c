// SPDX-License-Identifier: MIT
//
// radios: a stand-in for /dev/rfkill on a system whose kernel has none, or whose radios are to be
// left alone. A file in user space (FUSE) that takes and gives the records of <linux/rfkill.h> as
// the kernel does: programs open, poll, read and write it as they would the real one.
//
//   radios private DIR  in a mount namespace of its own, as /dev/rfkill; its /dev holds little else
//   radios at PATH      where it is, over the file PATH
//
// DIR is an empty directory. It prints "ready", and lasts until its input ends. Each line of its
// input is a command, answered by a line: "ok", or what was asked for.
//
//   add TYPE [SOFT [REASONS]]  a radio comes, blocked as its class was last told to be unless SOFT
//                       says; the answer is its index
//   remove INDEX        it goes
//   soft INDEX 0|1      it is blocked by software, or no longer
//   hard INDEX REASONS  it is blocked by the hardware for these reasons, or no longer for 0
//   size BYTES          records are as long as this from now on: 8, 9, or with zeros at the end
//   raw HEX             every reader gets these bytes as a record; with nothing, the end of the file
//   hold | release      from now on writes wait, as in a driver, and while one does who opens the
//                       file waits too, as for the kernel's lock; and no longer
//   failing ERRNO       writes fail so; 0 for no longer
//   refusing ERRNO      as failing, for opening
//   ignoring 0|1        writes are taken and change nothing, as a driver may
//   writes              the answer is how many records were written since this was last asked
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <linux/rfkill.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_radios = 64, most_bytes = 64 };

typedef struct rfkill_event_ext event;

typedef struct record {
  struct record *next;
  size_t size;
  unsigned char bytes[most_bytes];
} record;

typedef struct reader {
  struct reader *next;
  record *first, **last;
  struct fuse_pollhandle *poller;
} reader;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static reader *readers;
static event radios[most_radios];
static size_t count;
static unsigned next_index;
static bool defaults[NUM_RFKILL_TYPES];
static size_t record_size = sizeof(event);
static bool holding, ignoring;
static unsigned held;
static int failing, refusing;
static unsigned writes;

// What readers are told

static void give(reader *to, const void *bytes, size_t size) {
  record *new = calloc(1, sizeof *new);
  if (!new) abort();
  new->size = size;
  memcpy(new->bytes, bytes, size);
  *to->last = new;
  to->last = &new->next;
  if (to->poller) {
    fuse_notify_poll(to->poller);
    fuse_pollhandle_destroy(to->poller);
    to->poller = NULL;
  }
}

static void tell(reader *to, event what, int operation) {
  unsigned char bytes[most_bytes] = {0};
  what.op = operation;
  memcpy(bytes, &what, record_size < sizeof what ? record_size : sizeof what);
  give(to, bytes, record_size);
}

static void tell_all(event what, int operation) {
  for (reader *each = readers; each; each = each->next) tell(each, what, operation);
}

static void block(event *radio, bool soft) {
  if (radio->soft == soft) return;
  radio->soft = soft;
  tell_all(*radio, RFKILL_OP_CHANGE);
}

// The file

static int get_attributes(const char *path, struct stat *status, struct fuse_file_info *file) {
  (void)path, (void)file;
  *status = (struct stat){.st_mode = S_IFREG | 0666, .st_nlink = 1};
  return 0;
}

// For the sake of who watches for it.
static int change_mode(const char *path, mode_t mode, struct fuse_file_info *file) {
  (void)path, (void)mode, (void)file;
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  pthread_mutex_lock(&lock);
  while (held) pthread_cond_wait(&released, &lock);
  int error = refusing;
  reader *new = error ? NULL : calloc(1, sizeof *new);
  if (new) {
    new->last = &new->first;
    for (size_t i = 0; i < count; i++) tell(new, radios[i], RFKILL_OP_ADD);
    new->next = readers;
    readers = new;
    file->fh = (uintptr_t)new;
    file->direct_io = 1;
    file->nonseekable = 1;
  }
  pthread_mutex_unlock(&lock);
  return new ? 0 : -(error ? error : ENOMEM);
}

static int release_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  reader *old = (reader *)(uintptr_t)file->fh;
  pthread_mutex_lock(&lock);
  for (reader **each = &readers; *each; each = &(*each)->next)
    if (*each == old) {
      *each = old->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  if (old->poller) fuse_pollhandle_destroy(old->poller);
  for (record *each = old->first, *next; each; each = next) {
    next = each->next;
    free(each);
  }
  free(old);
  return 0;
}

// One record at most. Who comes before there is one is told so, whether he would wait or not:
// everybody asks poll(2) first.
static int read_file(
    const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)path, (void)offset;
  reader *from = (reader *)(uintptr_t)file->fh;
  pthread_mutex_lock(&lock);
  int result = -EAGAIN;
  record *old = from->first;
  if (old) {
    from->first = old->next;
    if (!old->next) from->last = &from->first;
    if (size > old->size) size = old->size;
    memcpy(buffer, old->bytes, size);
    result = (int)size;
    free(old);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int write_file(
    const char *path, const char *buffer, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)path, (void)offset, (void)file;
  event wish = {0};
  if (size < RFKILL_EVENT_SIZE_V1) return -EINVAL;
  if (size > sizeof wish) size = sizeof wish;
  memcpy(&wish, buffer, size);
  if (wish.op != RFKILL_OP_CHANGE && wish.op != RFKILL_OP_CHANGE_ALL) return -EINVAL;
  if (wish.type >= NUM_RFKILL_TYPES) return -EINVAL;
  pthread_mutex_lock(&lock);
  writes++;
  held++;
  while (holding) pthread_cond_wait(&released, &lock);
  if (--held == 0) pthread_cond_broadcast(&released);
  int error = failing;
  bool soft = wish.soft != 0, all = wish.op == RFKILL_OP_CHANGE_ALL;
  if (!error && !ignoring) {
    for (size_t type = 0; all && type < NUM_RFKILL_TYPES; type++)
      if (wish.type == RFKILL_TYPE_ALL || wish.type == type) defaults[type] = soft;
    for (size_t i = 0; i < count; i++)
      if ((all || radios[i].idx == wish.idx) &&
          (wish.type == RFKILL_TYPE_ALL || wish.type == radios[i].type))
        block(&radios[i], soft);
  }
  pthread_mutex_unlock(&lock);
  return error ? -error : (int)size;
}

static int poll_file(
    const char *path, struct fuse_file_info *file, struct fuse_pollhandle *poller,
    unsigned *events) {
  (void)path;
  reader *who = (reader *)(uintptr_t)file->fh;
  pthread_mutex_lock(&lock);
  if (poller) {
    if (who->poller) fuse_pollhandle_destroy(who->poller);
    who->poller = poller;
  }
  *events = POLLOUT | (who->first ? POLLIN : 0);
  pthread_mutex_unlock(&lock);
  return 0;
}

// The commands

static event *radio(unsigned index) {
  for (size_t i = 0; i < count; i++)
    if (radios[i].idx == index) return &radios[i];
  return NULL;
}

static bool is(const char *line, const char *verb, int fields, int expected) {
  return fields >= expected && strncmp(line, verb, strlen(verb)) == 0;
}

// The answer is written to `answer`; false for what is no command.
static bool obey(const char *line, char *answer, size_t room) {
  char verb[16] = "", hex[2 * most_bytes + 1] = "";
  unsigned first = 0, second = 0, third = 0;
  int fields = sscanf(line, "%15s %u %u %u", verb, &first, &second, &third) - 1;
  snprintf(answer, room, "ok");
  if (is(verb, "add", fields, 1)) {
    if (count == most_radios || first >= NUM_RFKILL_TYPES) return false;
    event new = {
        .idx = next_index++, .type = first, .soft = fields > 1 ? second : defaults[first],
        .hard = third != 0, .hard_block_reasons = third};
    radios[count++] = new;
    tell_all(new, RFKILL_OP_ADD);
    snprintf(answer, room, "%u", new.idx);
  } else if (is(verb, "remove", fields, 1) && radio(first)) {
    event old = *radio(first);
    size_t place = radio(first) - radios;
    memmove(radios + place, radios + place + 1, (--count - place) * sizeof old);
    tell_all(old, RFKILL_OP_DEL);
  } else if (is(verb, "soft", fields, 2) && radio(first)) {
    block(radio(first), second);
  } else if (is(verb, "hard", fields, 2) && radio(first)) {
    radio(first)->hard = second != 0;
    radio(first)->hard_block_reasons = second;
    tell_all(*radio(first), RFKILL_OP_CHANGE);
  } else if (is(verb, "size", fields, 1) && first <= most_bytes) {
    record_size = first;
  } else if (is(verb, "raw", 0, 0)) {
    unsigned char bytes[most_bytes];
    size_t size = 0;
    sscanf(line, "raw %128[0-9a-f]", hex);
    for (; hex[2 * size]; size++) {
      unsigned byte;
      if (sscanf(hex + 2 * size, "%2x", &byte) != 1) return false;
      bytes[size] = byte;
    }
    for (reader *each = readers; each; each = each->next) give(each, bytes, size);
  } else if (is(verb, "hold", 0, 0)) {
    holding = true;
  } else if (is(verb, "release", 0, 0)) {
    holding = false;
    pthread_cond_broadcast(&released);
  } else if (is(verb, "failing", fields, 1)) {
    failing = first;
  } else if (is(verb, "refusing", fields, 1)) {
    refusing = first;
  } else if (is(verb, "ignoring", fields, 1)) {
    ignoring = first;
  } else if (is(verb, "writes", 0, 0)) {
    snprintf(answer, room, "%u", writes);
    writes = 0;
  } else {
    return false;
  }
  return true;
}

static void *listen(void *unused) {
  char line[256], answer[32];
  while (fgets(line, sizeof line, stdin)) {
    pthread_mutex_lock(&lock);
    bool known = obey(line, answer, sizeof answer);
    pthread_mutex_unlock(&lock);
    if (!known) fprintf(stderr, "radios: no such command, or no such radio: %s", line);
    puts(known ? answer : "failed");
    fflush(stdout);
  }
  // With the namespace goes what is mounted in it.
  _exit(0);
  return unused;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *configuration) {
  (void)connection;
  configuration->direct_io = 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, listen, NULL)) abort();
  puts("ready");
  fflush(stdout);
  return NULL;
}

static const struct fuse_operations operations = {
    .getattr = get_attributes, .chmod = change_mode, .open = open_file, .release = release_file, .read = read_file,
    .write = write_file, .poll = poll_file, .init = start};

// Where it is mounted

static bool make_file(const char *path) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return descriptor >= 0 && close(descriptor) == 0;
}

static bool bind_device(const char *dir, const char *name) {
  char from[256], to[256];
  snprintf(from, sizeof from, "/dev/%s", name);
  snprintf(to, sizeof to, "%s/%s", dir, name);
  return make_file(to) && mount(from, to, NULL, MS_BIND, NULL) == 0;
}

// A /dev of this process and of who enters its namespace, with a place for the file.
static bool make_private(const char *dir) {
  char path[256];
  snprintf(path, sizeof path, "%s/rfkill", dir);
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("dev", dir, "tmpfs", 0, "mode=755") == 0 && bind_device(dir, "null") &&
         bind_device(dir, "fuse") && make_file(path) && mount(dir, "/dev", NULL, MS_MOVE, NULL) == 0;
}

int main(int argc, char **argv) {
  bool private = argc == 3 && strcmp(argv[1], "private") == 0;
  bool at = argc == 3 && strcmp(argv[1], "at") == 0;
  if (!private && !at) {
    fprintf(stderr, "usage: radios private DIR | radios at PATH\n");
    return 2;
  }
  // One that was killed has left its mount.
  if (at) umount2(argv[2], MNT_DETACH);
  if (private ? !make_private(argv[2]) : !make_file(argv[2])) {
    fprintf(stderr, "radios: can't make a place for the file: %s\n", strerror(errno));
    return 1;
  }
  char *path = private ? "/dev/rfkill" : argv[2];
  char *arguments[] = {argv[0], "-f", "-o", "allow_other", path, NULL};
  return fuse_main(5, arguments, &operations, NULL);
}
