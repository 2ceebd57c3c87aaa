/* SPDX-License-Identifier: MIT */
/* The measuring side. Every figure compares two sides, A and B, taking one of each in turn, so
   that what else the machine does falls on both alike. Prints the two medians in microseconds.

     client get COUNT NAME NAME          Properties.Get of two services
     client managed COUNT NAME NAME      GetManagedObjects of two services, and the reply's bytes
     client flip COUNT ADDRESS ADDRESS   Row1.SetOn of toggled on two buses, on and off in turn
     client run COUNT -- A... -- B...    two programs, from spawn to end
     client start COUNT NAME NAME -- A... -- B...   from spawn to owning the name */
#define _GNU_SOURCE

#include "common.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { sides = 2 };

/* Round 0 only warms up, so it is not in the medians. */
typedef double (*Measure)(void *context, int side, size_t round);

static void compare(size_t rounds, Measure measure, void *context) {
  double *times[sides];
  for (int side = 0; side < sides; side++) times[side] = allocate(rounds * sizeof(double));
  for (size_t round = 0; round <= rounds; round++)
    for (int side = 0; side < sides; side++) {
      double time = measure(context, side, round);
      if (round > 0) times[side][round - 1] = time;
    }
  for (int side = 0; side < sides; side++)
    printf("%.1f%c", median(times[side], rounds), side == sides - 1 ? '\n' : '\t');
}

/* --- calls ---------------------------------------------------------------------------------- */

typedef struct {
  DBusConnection *connection[sides];
  char *name[sides];
  size_t bytes;
} Callees;

static double timed(DBusConnection *connection, DBusMessage *message, DBusMessage **reply) {
  double start = now();
  *reply = call(connection, message);
  return now() - start;
}

static double measure_get(void *context, int side, size_t round) {
  (void)round;
  Callees *callees = context;
  DBusMessage *message =
      new_call(callees->name[side], ROW_PATH, DBUS_INTERFACE_PROPERTIES, "Get");
  const char *interface = ROW_INTERFACE, *property = "IsOn";
  if (!dbus_message_append_args(message, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property,
                                DBUS_TYPE_INVALID))
    die("out of memory", NULL);
  DBusMessage *reply;
  double time = timed(callees->connection[side], message, &reply);
  if (!dbus_message_has_signature(reply, "v")) die("Get answered with another type", NULL);
  dbus_message_unref(reply);
  return time;
}

static double measure_managed(void *context, int side, size_t round) {
  (void)round;
  Callees *callees = context;
  DBusMessage *reply;
  double time = timed(
      callees->connection[side],
      new_call(callees->name[side], MANAGER_PATH, OBJECT_MANAGER, "GetManagedObjects"), &reply);

  /* Both sides must have sent as much, or there is nothing to compare. */
  char *bytes;
  int length;
  if (!dbus_message_marshal(reply, &bytes, &length)) die("out of memory", NULL);
  dbus_free(bytes);
  dbus_message_unref(reply);
  size_t difference = callees->bytes > (size_t)length ? callees->bytes - (size_t)length
                                                      : (size_t)length - callees->bytes;
  /* The headers hold names, which differ in length. */
  if (callees->bytes && difference > 256) die("the two answers differ in length", NULL);
  callees->bytes = (size_t)length;
  return time;
}

static double measure_flip(void *context, int side, size_t round) {
  Callees *callees = context;
  DBusMessage *message = new_call(callees->name[side], ROW_PATH, ROW_INTERFACE, "SetOn");
  dbus_bool_t on = round % 2 == 0;
  if (!dbus_message_append_args(message, DBUS_TYPE_BOOLEAN, &on, DBUS_TYPE_INVALID))
    die("out of memory", NULL);
  DBusMessage *reply;
  double time = timed(callees->connection[side], message, &reply);
  dbus_bool_t changed;
  if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_BOOLEAN, &changed, DBUS_TYPE_INVALID))
    die("SetOn answered with another type", NULL);
  if (!changed && round > 0) die("a flip changed nothing", NULL);
  dbus_message_unref(reply);
  return time;
}

/* --- programs --------------------------------------------------------------------------------- */

typedef struct {
  DBusConnection *connection;
  char *name[sides];
  char **command[sides];
} Programs;

static double measure_run(void *context, int side, size_t round) {
  (void)round;
  Programs *programs = context;
  double start = now();
  pid_t process = spawn(programs->command[side], -1);
  int status;
  if (waitpid(process, &status, 0) != process) die("waitpid", NULL);
  double time = now() - start;
  if (status != 0) die(programs->command[side][0], NULL);
  return time;
}

/* Waits until the name gets an owner, or loses it. */
static void wait_for_owner(DBusConnection *connection, const char *name, bool owned) {
  for (;;) {
    DBusMessage *message = dbus_connection_pop_message(connection);
    if (!message) {
      if (!dbus_connection_read_write(connection, -1)) die("the bus went away", NULL);
      continue;
    }
    const char *changed, *old_owner, *new_owner;
    bool found =
        dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
        dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &changed, DBUS_TYPE_STRING,
                              &old_owner, DBUS_TYPE_STRING, &new_owner, DBUS_TYPE_INVALID) &&
        strcmp(changed, name) == 0 && (*new_owner != '\0') == owned;
    dbus_message_unref(message);
    if (found) return;
  }
}

static double measure_start(void *context, int side, size_t round) {
  (void)round;
  Programs *programs = context;
  double start = now();
  pid_t process = spawn(programs->command[side], -1);
  wait_for_owner(programs->connection, programs->name[side], true);
  double time = now() - start;
  kill(process, SIGTERM);
  wait_for_owner(programs->connection, programs->name[side], false);
  if (waitpid(process, NULL, 0) != process) die("waitpid", NULL);
  return time;
}

int main(int count, char **arguments) {
  if (count < 5) die("usage: see client.c", NULL);
  const char *verb = arguments[1];
  long rounds = strtol(arguments[2], NULL, 10);
  if (rounds < 1) die("COUNT is a number of at least 1", NULL);

  bool get = strcmp(verb, "get") == 0, managed = strcmp(verb, "managed") == 0;
  if (get || managed) {
    DBusConnection *connection = connect_to(NULL);
    Callees callees = {{connection, connection}, {arguments[3], arguments[4]}, 0};
    if (managed) dbus_connection_set_max_message_size(connection, DBUS_MAXIMUM_MESSAGE_LENGTH);
    compare((size_t)rounds, get ? measure_get : measure_managed, &callees);
    if (managed) printf("%zu\n", callees.bytes);
  } else if (strcmp(verb, "flip") == 0) {
    char name[] = "org.toggled";
    Callees callees = {{connect_to(arguments[3]), connect_to(arguments[4])}, {name, name}, 0};
    compare((size_t)rounds, measure_flip, &callees);
  } else if (strcmp(verb, "run") == 0) {
    Programs programs = {0};
    split(arguments + 3, programs.command, sides);
    compare((size_t)rounds, measure_run, &programs);
  } else if (strcmp(verb, "start") == 0) {
    Programs programs = {connect_to(NULL), {arguments[3], arguments[4]}, {NULL, NULL}};
    split(arguments + 5, programs.command, sides);
    DBusError error = DBUS_ERROR_INIT;
    dbus_bus_add_match(programs.connection,
                       "type='signal',sender='org.freedesktop.DBus',"
                       "interface='org.freedesktop.DBus',member='NameOwnerChanged'",
                       &error);
    if (dbus_error_is_set(&error)) die("AddMatch", &error);
    compare((size_t)rounds, measure_start, &programs);
  } else {
    die("usage: see client.c", NULL);
  }
  return 0;
}
