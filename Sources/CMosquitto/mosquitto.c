// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CMosquitto.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

static fixcast_mosquitto_functions functions;
static const char *failure_text;
static void *library;
static __typeof__(mosquitto_ssl_get) *get_ssl;

// Keeps a copy of the text of dlerror(), which the next call of a dl function may free.
static void keep_failure(void) {
  const char *text = dlerror();
  if (text != NULL) text = strdup(text);
  failure_text = text != NULL ? text : "libmosquitto.so.1 cannot be loaded";
}

static void *find(const char *name) {
  void *function = dlsym(library, name);
  if (function == NULL && failure_text == NULL) keep_failure();
  return function;
}

static void load(void) {
  library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    keep_failure();
    return;
  }
  __typeof__(mosquitto_lib_init) *init = find("mosquitto_lib_init");
  get_ssl = find("mosquitto_ssl_get");
  functions.create = find("mosquitto_new");
  functions.destroy = find("mosquitto_destroy");
  functions.set_credentials = find("mosquitto_username_pw_set");
  functions.set_will = find("mosquitto_will_set");
  functions.set_tls = find("mosquitto_tls_set");
  functions.on_connect = find("mosquitto_connect_callback_set");
  functions.on_publish = find("mosquitto_publish_callback_set");
  functions.on_message = find("mosquitto_message_callback_set");
  functions.on_log = find("mosquitto_log_callback_set");
  functions.connect = find("mosquitto_connect");
  functions.publish = find("mosquitto_publish");
  functions.subscribe = find("mosquitto_subscribe");
  functions.disconnect = find("mosquitto_disconnect");
  functions.socket = find("mosquitto_socket");
  functions.wants_to_write = find("mosquitto_want_write");
  functions.read = find("mosquitto_loop_read");
  functions.write = find("mosquitto_loop_write");
  functions.keep_alive = find("mosquitto_loop_misc");
  functions.error_text = find("mosquitto_strerror");
  if (failure_text != NULL) return;
  init();
}

const fixcast_mosquitto_functions *fixcast_mosquitto_load(const char **failure) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  *failure = failure_text;
  return failure_text == NULL ? &functions : NULL;
}

int fixcast_mosquitto_replace_socket(int socket, int other) {
  return dup3(other, socket, O_CLOEXEC);
}

void *fixcast_mosquitto_ssl(struct mosquitto *client) {
  const char *failure;
  return fixcast_mosquitto_load(&failure) != NULL ? get_ssl(client) : NULL;
}

void *fixcast_mosquitto_openssl(const char *name) {
  return dlsym(library, name);
}
