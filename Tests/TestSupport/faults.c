// SPDX-License-Identifier: MIT
//
// faults: a directory on a disk that fails when a test says so. A file system in user space (FUSE)
// that holds a few small files in memory, below a mount namespace of its own.
//
//   faults DIR
//
// DIR is an empty directory. It prints "ready", and lasts until its input ends. Each line of its
// input is a command, answered by "ok":
//
//   fail STEP ERRNO   from now on this step of every file fails so; 0 for no longer. The steps:
//                     open, create, write, fsync, rename, fsyncdir, read
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_files = 64, most_bytes = 4096, most_name = 128 };

typedef struct file {
  char name[most_name];
  char bytes[most_bytes];
  size_t size;
  mode_t mode;
} file;

static const char *const steps[] = {"open",   "create",   "write", "fsync",
                                    "rename", "fsyncdir", "read"};
enum step { on_open, on_create, on_write, on_fsync, on_rename, on_fsyncdir, on_read, step_count };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int errors[step_count];
static file files[most_files];

static int failing(enum step step) {
  pthread_mutex_lock(&lock);
  int error = errors[step];
  pthread_mutex_unlock(&lock);
  return -error;
}

// FUSE runs on one thread (-s), so the files need no lock.
static file *find(const char *path) {
  for (file *each = files; each < files + most_files; each++)
    if (each->name[0] && strcmp(each->name, path + 1) == 0) return each;
  return NULL;
}

static int get_attributes(const char *path, struct stat *to, struct fuse_file_info *info) {
  (void)info;
  memset(to, 0, sizeof *to);
  to->st_nlink = 1;
  to->st_uid = geteuid();
  to->st_gid = getegid();
  if (strcmp(path, "/") == 0) {
    to->st_mode = S_IFDIR | 0700;
    return 0;
  }
  file *file = find(path);
  if (!file) return -ENOENT;
  to->st_mode = S_IFREG | file->mode;
  to->st_size = (off_t)file->size;
  return 0;
}

static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *info, enum fuse_readdir_flags flags) {
  (void)path, (void)offset, (void)info, (void)flags;
  for (file *each = files; each < files + most_files; each++)
    if (each->name[0]) fill(buffer, each->name, NULL, 0, 0);
  return 0;
}

static int create_file(const char *path, mode_t mode, struct fuse_file_info *info) {
  (void)info;
  int error = failing(on_create);
  if (error) return error;
  if (strlen(path) > most_name) return -ENAMETOOLONG;
  for (file *each = files; each < files + most_files; each++)
    if (!each->name[0]) {
      strcpy(each->name, path + 1);
      each->mode = mode & 07777;
      each->size = 0;
      return 0;
    }
  return -ENOSPC;
}

static int open_file(const char *path, struct fuse_file_info *info) {
  (void)info;
  int error = failing(on_open);
  return error ? error : find(path) ? 0 : -ENOENT;
}

static int read_file(const char *path, char *to, size_t size, off_t offset,
                     struct fuse_file_info *info) {
  (void)info;
  int error = failing(on_read);
  if (error) return error;
  file *file = find(path);
  if (!file) return -ENOENT;
  size_t from = (size_t)offset < file->size ? (size_t)offset : file->size;
  size_t count = file->size - from < size ? file->size - from : size;
  memcpy(to, file->bytes + from, count);
  return (int)count;
}

static int write_file(const char *path, const char *bytes, size_t size, off_t offset,
                      struct fuse_file_info *info) {
  (void)info;
  int error = failing(on_write);
  if (error) return error;
  file *file = find(path);
  if (!file) return -ENOENT;
  if ((size_t)offset + size > most_bytes) return -EFBIG;
  memcpy(file->bytes + offset, bytes, size);
  if ((size_t)offset + size > file->size) file->size = (size_t)offset + size;
  return (int)size;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *info) {
  (void)info;
  file *file = find(path);
  if (!file) return -ENOENT;
  if (size > most_bytes) return -EFBIG;
  if ((size_t)size > file->size) memset(file->bytes + file->size, 0, (size_t)size - file->size);
  file->size = (size_t)size;
  return 0;
}

static int change_mode(const char *path, mode_t mode, struct fuse_file_info *info) {
  (void)info;
  file *file = find(path);
  if (!file) return -ENOENT;
  file->mode = mode & 07777;
  return 0;
}

static int rename_file(const char *path, const char *to, unsigned flags) {
  int error = failing(on_rename);
  if (error) return error;
  file *from = find(path), *old = find(to);
  if (!from) return -ENOENT;
  if (strlen(to) > most_name) return -ENAMETOOLONG;
  if (flags & ~(unsigned)RENAME_EXCHANGE) return -EINVAL;
  if (flags && !old) return -ENOENT;
  if (flags) strcpy(old->name, path + 1), old = NULL;
  if (old) old->name[0] = 0;
  strcpy(from->name, to + 1);
  return 0;
}

static int remove_file(const char *path) {
  file *file = find(path);
  if (!file) return -ENOENT;
  file->name[0] = 0;
  return 0;
}

static int synchronise(const char *path, int data, struct fuse_file_info *info) {
  (void)path, (void)data, (void)info;
  return failing(on_fsync);
}

static int synchronise_directory(const char *path, int data, struct fuse_file_info *info) {
  (void)path, (void)data, (void)info;
  return failing(on_fsyncdir);
}

// Without what the kernel remembers, every step comes here.
static void *begin(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->direct_io = 1;
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  config->hard_remove = 1;
  puts("ready");
  return NULL;
}

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = get_attributes,
    .readdir = list,
    .create = create_file,
    .open = open_file,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .chmod = change_mode,
    .rename = rename_file,
    .unlink = remove_file,
    .fsync = synchronise,
    .fsyncdir = synchronise_directory,
};

static void *obey(void *unused) {
  (void)unused;
  char line[64], step[16];
  int error;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "fail %15s %d", step, &error) != 2) abort();
    for (int each = 0; each < step_count; each++)
      if (strcmp(step, steps[each]) == 0) {
        pthread_mutex_lock(&lock);
        errors[each] = error;
        pthread_mutex_unlock(&lock);
      }
    puts("ok");
  }
  // The file system ends with its process, and the namespace with it.
  _exit(0);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("usage: faults DIR\n", stderr);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
    perror("faults: a mount namespace");
    return 1;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, obey, NULL)) return 1;
  char *of_fuse[] = {arguments[0], "-f", "-s", "-o", "allow_other", arguments[1], NULL};
  return fuse_main(6, of_fuse, &operations, NULL);
}
