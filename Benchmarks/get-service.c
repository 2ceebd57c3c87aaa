/* SPDX-License-Identifier: MIT */
/* get-service NAME: the least a libdbus service can do to answer Properties.Get of one boolean.
   It is the yardstick for toggled's own Get and for its start. */

#include "common.h"

#include <string.h>

static DBusMessage *answer(DBusMessage *message) {
  const char *interface, *property;
  if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING,
                             &property, DBUS_TYPE_INVALID))
    return dbus_message_new_error(message, DBUS_ERROR_INVALID_ARGS, "expected (ss)");
  if (strcmp(interface, ROW_INTERFACE) != 0)
    return dbus_message_new_error(message, DBUS_ERROR_UNKNOWN_INTERFACE, interface);
  if (strcmp(property, "IsOn") != 0)
    return dbus_message_new_error(message, DBUS_ERROR_UNKNOWN_PROPERTY, property);

  DBusMessage *reply = dbus_message_new_method_return(message);
  if (!reply) return NULL;
  dbus_bool_t on = TRUE;
  DBusMessageIter iterator, variant;
  dbus_message_iter_init_append(reply, &iterator);
  if (!dbus_message_iter_open_container(&iterator, DBUS_TYPE_VARIANT, "b", &variant) ||
      !dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &on) ||
      !dbus_message_iter_close_container(&iterator, &variant))
    die("out of memory", NULL);
  return reply;
}

static DBusHandlerResult handle(DBusConnection *connection, DBusMessage *message, void *data) {
  (void)data;
  if (!dbus_message_is_method_call(message, DBUS_INTERFACE_PROPERTIES, "Get") ||
      !dbus_message_has_path(message, ROW_PATH))
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessage *reply = answer(message);
  if (!reply) return DBUS_HANDLER_RESULT_NEED_MEMORY;
  dbus_connection_send(connection, reply, NULL);
  dbus_message_unref(reply);
  return DBUS_HANDLER_RESULT_HANDLED;
}

int main(int count, char **arguments) {
  if (count != 2) die("usage: get-service NAME", NULL);
  DBusConnection *connection = connect_to(NULL);
  own_name(connection, arguments[1]);
  serve(connection, handle, NULL);
  return 0;
}
