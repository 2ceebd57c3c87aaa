/* SPDX-License-Identifier: MIT */
/* How long a change takes to reach a subscriber: through toggled, and directly from whatever
   changed. One process makes the changes, a row's switch in turn on and off, and waits for both
   kinds of news of each. Prints the 50th and the 99th percentile of ours, then of the direct ones,
   in microseconds from the moment before the change.

     latency COUNT ADDRESS ROW dbus ADDRESS NAME PATH INTERFACE PROPERTY
       this process is the service, of a boolean property
     latency COUNT ADDRESS ROW file PATH
       a file that holds 1 or 0; inotify(7) is the direct way
     latency COUNT ADDRESS ROW unit ADDRESS UNIT
       a unit of the systemd on that bus, which signals to those that subscribe
     latency COUNT ADDRESS ROW program ON-LINE OFF-LINE -- ON... -- OFF... -- WATCH...
       ON and OFF are run; WATCH is running, and prints the one or the other line

   The first ADDRESS is that of toggled's bus. */
#define _GNU_SOURCE

#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

/* toggled announces changes from outside at most twenty times a second, and asks a program at most
   ten times; what another prints comes in two pieces. */
static const double pause_time = 60e3, pause_of_programs = 250e3;
static const double patience = 10e6;

#define SYSTEMD "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"

/* What is changed, and how its news come without toggled. */
typedef struct Source Source;
struct Source {
  void (*change)(Source *, bool on);
  /* Whether what came since tells of the value. Reads all there is. */
  bool (*tells)(Source *, bool on);
  int fd;
  /* From one change to the next. */
  double pause;
  /* The service of `dbus`, which has calls to answer. */
  DBusConnection *service;
  DBusConnection *connection;
  const char *name, *path, *interface, *property;
  bool value;
  char **on_command, **off_command;
  const char *on_line, *off_line;
  char line[512];
  size_t length;
};

static DBusConnection *row_connection;
static char row_path[128];

/* --- messages ------------------------------------------------------------------------------- */

/* The next message that has come. */
static DBusMessage *next_message(DBusConnection *connection) {
  if (!dbus_connection_read_write(connection, 0)) die("the bus went away", NULL);
  return dbus_connection_pop_message(connection);
}

static int descriptor(DBusConnection *connection) {
  int fd;
  if (!dbus_connection_get_unix_fd(connection, &fd)) die("a bus without a descriptor", NULL);
  return fd;
}

static void match(DBusConnection *connection, const char *path, const char *interface) {
  char rule[512];
  snprintf(rule, sizeof rule,
           "type='signal',interface='" DBUS_INTERFACE_PROPERTIES "',member='PropertiesChanged',"
           "path='%s',arg0='%s'",
           path, interface);
  DBusError error = DBUS_ERROR_INIT;
  dbus_bus_add_match(connection, rule, &error);
  if (dbus_error_is_set(&error)) die(rule, &error);
}

/* Whether a PropertiesChanged has the property; `value` then stands at it. */
static bool has_property(DBusMessage *message, const char *path, const char *property,
                         DBusMessageIter *value) {
  if (!dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged") ||
      !dbus_message_has_path(message, path) || !dbus_message_has_signature(message, "sa{sv}as"))
    return false;
  DBusMessageIter arguments, entries, entry;
  dbus_message_iter_init(message, &arguments);
  dbus_message_iter_next(&arguments);
  dbus_message_iter_recurse(&arguments, &entries);
  for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY;
       dbus_message_iter_next(&entries)) {
    dbus_message_iter_recurse(&entries, &entry);
    const char *name;
    dbus_message_iter_get_basic(&entry, &name);
    if (strcmp(name, property) != 0) continue;
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, value);
    return true;
  }
  return false;
}

static bool is_string(DBusMessageIter *value, const char *expected) {
  if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_STRING) return false;
  const char *text;
  dbus_message_iter_get_basic(value, &text);
  return strcmp(text, expected) == 0;
}

/* Whether a string property is announced to be `expected`. */
static bool announces(DBusConnection *connection, const char *path, const char *property,
                      const char *expected) {
  bool found = false;
  for (DBusMessage *message; (message = next_message(connection)); dbus_message_unref(message)) {
    DBusMessageIter value;
    if (has_property(message, path, property, &value)) found = is_string(&value, expected);
  }
  return found;
}

/* --- a property ------------------------------------------------------------------------------ */

static void append_variant(DBusMessageIter *target, bool on) {
  DBusMessageIter variant;
  dbus_bool_t value = on;
  if (!dbus_message_iter_open_container(target, DBUS_TYPE_VARIANT, "b", &variant) ||
      !dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &value) ||
      !dbus_message_iter_close_container(target, &variant))
    die("out of memory", NULL);
}

/* Appends {property: value}. */
static void append_properties(DBusMessageIter *target, Source *source) {
  DBusMessageIter entries, entry;
  if (!dbus_message_iter_open_container(target, DBUS_TYPE_ARRAY, "{sv}", &entries) ||
      !dbus_message_iter_open_container(&entries, DBUS_TYPE_DICT_ENTRY, NULL, &entry) ||
      !dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &source->property))
    die("out of memory", NULL);
  append_variant(&entry, source->value);
  if (!dbus_message_iter_close_container(&entries, &entry) ||
      !dbus_message_iter_close_container(target, &entries))
    die("out of memory", NULL);
}

/* Answers reads of the property; nothing else is asked of the service. Of a caller of systemd it
   takes the answers. */
static void answer_calls(Source *source) {
  for (DBusMessage *message; (message = next_message(source->service));
       dbus_message_unref(message)) {
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL) continue;
    DBusMessage *reply;
    DBusMessageIter iterator;
    if (dbus_message_is_method_call(message, DBUS_INTERFACE_PROPERTIES, "GetAll")) {
      reply = dbus_message_new_method_return(message);
      dbus_message_iter_init_append(reply, &iterator);
      append_properties(&iterator, source);
    } else if (dbus_message_is_method_call(message, DBUS_INTERFACE_PROPERTIES, "Get")) {
      reply = dbus_message_new_method_return(message);
      dbus_message_iter_init_append(reply, &iterator);
      append_variant(&iterator, source->value);
    } else {
      reply = dbus_message_new_error(message, DBUS_ERROR_UNKNOWN_METHOD, "not here");
    }
    dbus_connection_send(source->service, reply, NULL);
    dbus_message_unref(reply);
  }
  dbus_connection_flush(source->service);
}

static void change_property(Source *source, bool on) {
  source->value = on;
  DBusMessage *message =
      dbus_message_new_signal(source->path, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
  DBusMessageIter iterator, invalidated;
  dbus_message_iter_init_append(message, &iterator);
  dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &source->interface);
  append_properties(&iterator, source);
  dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "s", &invalidated);
  dbus_message_iter_close_container(&iterator, &invalidated);
  dbus_connection_send(source->service, message, NULL);
  dbus_connection_flush(source->service);
  dbus_message_unref(message);
}

static bool property_tells(Source *source, bool on) {
  bool found = false;
  for (DBusMessage *message; (message = next_message(source->connection));
       dbus_message_unref(message)) {
    DBusMessageIter value;
    if (!has_property(message, source->path, source->property, &value)) continue;
    dbus_bool_t told;
    dbus_message_iter_get_basic(&value, &told);
    found = told == on;
  }
  return found;
}

static void start_property(Source *source, char **arguments) {
  source->name = arguments[1], source->path = arguments[2];
  source->interface = arguments[3], source->property = arguments[4];
  source->connection = connect_to(arguments[0]);
  match(source->connection, source->path, source->interface);
  source->service = connect_to(arguments[0]);
  own_name(source->service, source->name);
  source->fd = descriptor(source->connection);
  source->change = change_property, source->tells = property_tells;
}

/* --- a file ----------------------------------------------------------------------------------- */

static void change_file(Source *source, bool on) {
  int fd = open(source->path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, on ? "1\n" : "0\n", 2) != 2) die(source->path, NULL);
  close(fd);
}

static bool file_tells(Source *source, bool on) {
  char events[4096], value = 0;
  while (read(source->fd, events, sizeof events) > 0) continue;
  int fd = open(source->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, &value, 1) != 1) die(source->path, NULL);
  close(fd);
  return value == (on ? '1' : '0');
}

static void start_file(Source *source, char **arguments) {
  source->path = arguments[0];
  source->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify_add_watch(source->fd, source->path, IN_MODIFY) < 0) die(source->path, NULL);
  source->change = change_file, source->tells = file_tells;
}

/* --- a unit ----------------------------------------------------------------------------------- */

static DBusMessage *call_of_systemd(const char *member, const char *unit) {
  DBusMessage *message = new_call(SYSTEMD, SYSTEMD_PATH, SYSTEMD ".Manager", member);
  const char *mode = "replace";
  bool is_job = strcmp(member, "LoadUnit") != 0;
  if (unit && !dbus_message_append_args(message, DBUS_TYPE_STRING, &unit,
                                        is_job ? DBUS_TYPE_STRING : DBUS_TYPE_INVALID, &mode,
                                        DBUS_TYPE_INVALID))
    die("out of memory", NULL);
  return message;
}

/* Its answer is not waited for: the news may come before. */
static void change_unit(Source *source, bool on) {
  DBusMessage *message =
      call_of_systemd(on ? "StartUnit" : "StopUnit", source->name);
  dbus_connection_send(source->service, message, NULL);
  dbus_connection_flush(source->service);
  dbus_message_unref(message);
}

static bool unit_tells(Source *source, bool on) {
  return announces(source->connection, source->path, "ActiveState", on ? "active" : "inactive");
}

static void start_unit(Source *source, char **arguments) {
  source->name = arguments[1], source->interface = SYSTEMD ".Unit";
  source->service = connect_to(arguments[0]);
  source->connection = connect_to(arguments[0]);
  dbus_message_unref(call(source->service, call_of_systemd("Subscribe", NULL)));
  DBusMessage *reply = call(source->service, call_of_systemd("LoadUnit", source->name));
  const char *path;
  if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID))
    die("LoadUnit answered with another type", NULL);
  source->path = strdup(path);
  dbus_message_unref(reply);
  match(source->connection, source->path, source->interface);
  source->fd = descriptor(source->connection);
  source->change = change_unit, source->tells = unit_tells;
}

/* --- programs --------------------------------------------------------------------------------- */

static pid_t watcher;

static void end_watcher(void) { kill(-watcher, SIGTERM); }

/* Its end is not waited for: the news may come before. */
static void change_by_program(Source *source, bool on) {
  spawn(on ? source->on_command : source->off_command, -1);
}

static void reap(void) {
  int status;
  while (waitpid(-1, &status, WNOHANG) > 0)
    if (status != 0) die("a program has failed", NULL);
}

static bool program_tells(Source *source, bool on) {
  bool found = false;
  for (;;) {
    ssize_t count = read(source->fd, source->line + source->length, 1);
    if (count == 0) die("the program that watches has ended", NULL);
    if (count < 0) return found;
    if (source->line[source->length] != '\n') {
      if (source->length < sizeof source->line - 1) source->length++;
      continue;
    }
    source->line[source->length] = '\0';
    source->length = 0;
    found = strcmp(source->line, on ? source->on_line : source->off_line) == 0;
  }
}

static void start_program(Source *source, char **arguments) {
  char **commands[3];
  source->on_line = arguments[0], source->off_line = arguments[1];
  split(arguments + 2, commands, 3);
  source->on_command = commands[0], source->off_command = commands[1];
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) die("pipe", NULL);
  watcher = spawn(commands[2], pipe_ends[1]);
  atexit(end_watcher);
  close(pipe_ends[1]);
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  source->fd = pipe_ends[0];
  source->change = change_by_program, source->tells = program_tells;
  source->pause = pause_of_programs;
}

/* --- measuring --------------------------------------------------------------------------------- */

static void wait_for_news(Source *source, double until) {
  struct pollfd fds[] = {{source->fd, POLLIN, 0},
                         {descriptor(row_connection), POLLIN, 0},
                         {source->service ? descriptor(source->service) : -1, POLLIN, 0}};
  double left = until - now();
  if (left > 0) poll(fds, 3, (int)(left / 1e3) + 1);
}

/* One change, and when both have told of it: the direct news first, for what little it is worth. */
static void measure(Source *source, bool on, double *ours, double *direct) {
  double start = now(), deadline = start + patience;
  *ours = *direct = 0;
  source->change(source, on);
  while (*ours == 0 || *direct == 0) {
    if (source->tells(source, on) && *direct == 0) *direct = now() - start;
    if (announces(row_connection, row_path, "State", on ? "on" : "off") && *ours == 0)
      *ours = now() - start;
    if (source->service) answer_calls(source);
    if (now() > deadline) die(*ours == 0 ? "the row told of no change" : "no direct news", NULL);
    if (*ours == 0 || *direct == 0) wait_for_news(source, deadline);
  }
}

/* Lets what is said twice come, and time pass. */
static void rest(Source *source, bool on) {
  for (double end = now() + source->pause; now() < end; wait_for_news(source, end)) {
    source->tells(source, on);
    announces(row_connection, row_path, "State", "");
    if (source->service) answer_calls(source);
    reap();
  }
}

int main(int count, char **arguments) {
  if (count < 6) die("usage: see latency.c", NULL);
  long rounds = strtol(arguments[1], NULL, 10);
  if (rounds < 1) die("COUNT is a number of at least 1", NULL);
  row_connection = connect_to(arguments[2]);
  snprintf(row_path, sizeof row_path, MANAGER_PATH "/rows/%s", arguments[3]);
  match(row_connection, row_path, ROW_INTERFACE);

  const char *kind = arguments[4];
  int given = count - 5;
  Source source = {.fd = -1, .pause = pause_time};
  if (strcmp(kind, "dbus") == 0 && given == 5)
    start_property(&source, arguments + 5);
  else if (strcmp(kind, "file") == 0 && given == 1)
    start_file(&source, arguments + 5);
  else if (strcmp(kind, "unit") == 0 && given == 2)
    start_unit(&source, arguments + 5);
  else if (strcmp(kind, "program") == 0 && given > 2)
    start_program(&source, arguments + 5);
  else
    die("usage: see latency.c", NULL);

  /* Some changes only warm up, and bring the row and its thing to the same value. */
  double *ours = allocate((size_t)rounds * sizeof(double));
  double *direct = allocate((size_t)rounds * sizeof(double));
  rest(&source, true);
  for (long round = -4; round < rounds; round++) {
    bool on = round % 2 == 0;
    if (round < 0) {
      source.change(&source, on);
      for (int turn = 0; turn < 5; turn++) rest(&source, on);
    } else {
      measure(&source, on, &ours[round], &direct[round]);
      rest(&source, on);
    }
  }
  printf("%.0f\t%.0f\t", quantile(ours, (size_t)rounds, 0.5), quantile(ours, (size_t)rounds, 0.99));
  printf("%.0f\t%.0f\n", quantile(direct, (size_t)rounds, 0.5),
         quantile(direct, (size_t)rounds, 0.99));
  return 0;
}
