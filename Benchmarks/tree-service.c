/* SPDX-License-Identifier: MIT */
/* tree-service NAME SOURCE: answers GetManagedObjects with what SOURCE answered when this
   started. The answer is kept as a tree of values and each reply is marshalled from it anew, as
   a service with objects has to, so the bytes sent are the same and so is the kind of work. */

#include "common.h"

#include <stdlib.h>
#include <string.h>

typedef struct Node Node;
struct Node {
  int type;
  DBusBasicValue value; /* of a basic type; the string is ours */
  char *signature;      /* of what an array or a variant contains, else NULL */
  Node *children;       /* of a container */
  size_t count;
};

static char *copy(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(allocate(size), text, size);
}

static void read_children(Node *node, DBusMessageIter *iterator);

static Node read_node(DBusMessageIter *iterator) {
  Node node = {.type = dbus_message_iter_get_arg_type(iterator)};
  if (dbus_type_is_basic(node.type)) {
    dbus_message_iter_get_basic(iterator, &node.value);
    if (node.type == DBUS_TYPE_STRING || node.type == DBUS_TYPE_OBJECT_PATH ||
        node.type == DBUS_TYPE_SIGNATURE)
      node.value.str = copy(node.value.str);
    return node;
  }
  DBusMessageIter inner;
  dbus_message_iter_recurse(iterator, &inner);
  if (node.type == DBUS_TYPE_ARRAY || node.type == DBUS_TYPE_VARIANT) {
    char *signature = dbus_message_iter_get_signature(&inner);
    if (!signature) die("out of memory", NULL);
    node.signature = copy(signature);
    dbus_free(signature);
  }
  read_children(&node, &inner);
  return node;
}

static void read_children(Node *node, DBusMessageIter *iterator) {
  size_t room = 0;
  while (dbus_message_iter_get_arg_type(iterator) != DBUS_TYPE_INVALID) {
    if (node->count == room) {
      room = room ? room * 2 : 2;
      node->children = realloc(node->children, room * sizeof *node->children);
      if (!node->children) die("out of memory", NULL);
    }
    node->children[node->count++] = read_node(iterator);
    dbus_message_iter_next(iterator);
  }
}

static void write_node(const Node *node, DBusMessageIter *iterator) {
  if (dbus_type_is_basic(node->type)) {
    if (!dbus_message_iter_append_basic(iterator, node->type, &node->value))
      die("out of memory", NULL);
    return;
  }
  DBusMessageIter inner;
  if (!dbus_message_iter_open_container(iterator, node->type, node->signature, &inner))
    die("out of memory", NULL);
  for (size_t index = 0; index < node->count; index++) write_node(&node->children[index], &inner);
  if (!dbus_message_iter_close_container(iterator, &inner)) die("out of memory", NULL);
}

static DBusHandlerResult handle(DBusConnection *connection, DBusMessage *message, void *data) {
  const Node *body = data;
  if (!dbus_message_is_method_call(message, OBJECT_MANAGER, "GetManagedObjects") ||
      !dbus_message_has_path(message, MANAGER_PATH))
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessage *reply = dbus_message_new_method_return(message);
  if (!reply) return DBUS_HANDLER_RESULT_NEED_MEMORY;
  DBusMessageIter iterator;
  dbus_message_iter_init_append(reply, &iterator);
  for (size_t index = 0; index < body->count; index++)
    write_node(&body->children[index], &iterator);
  dbus_connection_send(connection, reply, NULL);
  dbus_message_unref(reply);
  return DBUS_HANDLER_RESULT_HANDLED;
}

int main(int count, char **arguments) {
  if (count != 3) die("usage: tree-service NAME SOURCE", NULL);
  DBusConnection *connection = connect_to(NULL);
  DBusMessage *reply = call(
      connection, new_call(arguments[2], MANAGER_PATH, OBJECT_MANAGER, "GetManagedObjects"));
  Node body = {.type = DBUS_TYPE_INVALID};
  DBusMessageIter iterator;
  if (!dbus_message_iter_init(reply, &iterator)) die("an answer without a body", NULL);
  read_children(&body, &iterator);
  dbus_message_unref(reply);
  own_name(connection, arguments[1]);
  serve(connection, handle, &body);
  return 0;
}
