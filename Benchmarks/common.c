/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE

#include "common.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Noreturn void die(const char *text, DBusError *error) {
  if (error && dbus_error_is_set(error))
    fprintf(stderr, "bench: %s: %s: %s\n", text, error->name, error->message);
  else
    fprintf(stderr, "bench: %s\n", text);
  exit(1);
}

void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory) die("out of memory", NULL);
  return memory;
}

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double quantile(double *values, size_t count, double share) {
  if (count == 0) die("a share of nothing", NULL);
  qsort(values, count, sizeof *values, compare);
  size_t rank = (size_t)(share * (double)count + 0.999999);
  return values[rank == 0 ? 0 : rank > count ? count - 1 : rank - 1];
}

double median(double *values, size_t count) {
  if (count == 0) die("the median of nothing", NULL);
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

pid_t spawn(char **command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (output < 0) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  }
  pid_t process;
  if (posix_spawnp(&process, command[0], &actions, &attributes, command, environ) != 0)
    die(command[0], NULL);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return process;
}

void split(char **arguments, char **commands[], size_t count) {
  size_t found = 0;
  for (char **word = arguments; *word; word++)
    if (strcmp(*word, "--") == 0 && found < count) {
      *word = NULL;
      commands[found++] = word + 1;
    }
  if (found < count) die("expected -- and a command, for each", NULL);
  for (size_t index = 0; index < count; index++)
    if (!commands[index][0]) die("expected a command after --", NULL);
}

DBusConnection *connect_to(const char *address) {
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *connection;
  if (address) {
    connection = dbus_connection_open_private(address, &error);
    if (connection && !dbus_bus_register(connection, &error)) die(address, &error);
  } else {
    connection = dbus_bus_get_private(DBUS_BUS_SESSION, &error);
  }
  if (!connection) die(address ? address : "the session bus", &error);
  dbus_connection_set_exit_on_disconnect(connection, FALSE);
  return connection;
}

void own_name(DBusConnection *connection, const char *name) {
  DBusError error = DBUS_ERROR_INIT;
  int reply =
      dbus_bus_request_name(connection, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, &error);
  if (reply != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) die(name, &error);
}

DBusMessage *call(DBusConnection *connection, DBusMessage *message) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *reply =
      dbus_connection_send_with_reply_and_block(connection, message, 60000, &error);
  if (!reply) die(dbus_message_get_member(message), &error);
  dbus_message_unref(message);
  return reply;
}

DBusMessage *new_call(const char *name, const char *path, const char *interface,
                      const char *member) {
  DBusMessage *message = dbus_message_new_method_call(name, path, interface, member);
  if (!message) die("out of memory", NULL);
  return message;
}

void serve(DBusConnection *connection, DBusHandleMessageFunction handler, void *data) {
  if (!dbus_connection_add_filter(connection, handler, data, NULL)) die("out of memory", NULL);
  while (dbus_connection_read_write_dispatch(connection, -1)) continue;
}
