/* SPDX-License-Identifier: MIT */
/* What the benchmark programs share. Every function ends the program on an error: a benchmark
   that goes on after one measures something else. */
#ifndef TOGGLED_BENCHMARKS_COMMON_H
#define TOGGLED_BENCHMARKS_COMMON_H

#include <dbus/dbus.h>
#include <stddef.h>
#include <sys/types.h>

#define MANAGER_PATH "/org/toggled"
#define ROW_PATH "/org/toggled/rows/stored_0"
#define ROW_INTERFACE "org.toggled.Row1"
#define OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"

/* Prints the text, and the error where there is one, and exits with status 1. */
_Noreturn void die(const char *text, DBusError *error);

/* memory that is there, or no return */
void *allocate(size_t size);

/* microseconds on CLOCK_MONOTONIC */
double now(void);

/* The value that a share of the values, which get sorted, is not above: the nearest rank. */
double quantile(double *values, size_t count, double share);

/* The median of the values, which get sorted. */
double median(double *values, size_t count);

/* Starts a program whose output goes to nobody; or into `output`, and then in a process group of its
   own. */
pid_t spawn(char **command, int output);

/* Splits "-- A... -- B..." into commands, each ended by NULL. */
void split(char **arguments, char **commands[], size_t count);

/* A private connection, to the session bus where the address is NULL. */
DBusConnection *connect_to(const char *address);

/* Owns the name, and ends the program where somebody else does. */
void own_name(DBusConnection *connection, const char *name);

/* Sends a call, takes its reference, and returns the reply that came within a minute. */
DBusMessage *call(DBusConnection *connection, DBusMessage *message);

DBusMessage *new_call(const char *name, const char *path, const char *interface,
                      const char *member);

/* Dispatches until the bus goes away. */
void serve(DBusConnection *connection, DBusHandleMessageFunction handler, void *data);

#endif
