/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

double median(double *values, size_t count) {
  if (count == 0) die("the median of nothing", NULL);
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
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
