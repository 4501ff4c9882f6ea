// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CMosquitto.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static fixcast_mosquitto_functions functions;
static const char *failure_text;
static __typeof__(mosquitto_ssl_get) *get_ssl;
static long (*get_verify_result)(const void *ssl);
static const char *(*verify_error_text)(long number);

// Keeps a copy of the text of dlerror(), which the next call of a dl function may free.
static void keep_failure(void) {
  const char *text = dlerror();
  if (text != NULL) text = strdup(text);
  failure_text = text != NULL ? text : "libmosquitto.so.1 cannot be loaded";
}

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (function == NULL && failure_text == NULL) keep_failure();
  return function;
}

static void load(void) {
  void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    keep_failure();
    return;
  }
  __typeof__(mosquitto_lib_init) *init = find(library, "mosquitto_lib_init");
  get_ssl = find(library, "mosquitto_ssl_get");
  functions.create = find(library, "mosquitto_new");
  functions.destroy = find(library, "mosquitto_destroy");
  functions.set_credentials = find(library, "mosquitto_username_pw_set");
  functions.set_will = find(library, "mosquitto_will_set");
  functions.set_tls = find(library, "mosquitto_tls_set");
  functions.on_connect = find(library, "mosquitto_connect_callback_set");
  functions.on_publish = find(library, "mosquitto_publish_callback_set");
  functions.on_message = find(library, "mosquitto_message_callback_set");
  functions.on_log = find(library, "mosquitto_log_callback_set");
  functions.connect = find(library, "mosquitto_connect");
  functions.publish = find(library, "mosquitto_publish");
  functions.subscribe = find(library, "mosquitto_subscribe");
  functions.disconnect = find(library, "mosquitto_disconnect");
  functions.socket = find(library, "mosquitto_socket");
  functions.wants_to_write = find(library, "mosquitto_want_write");
  functions.read = find(library, "mosquitto_loop_read");
  functions.write = find(library, "mosquitto_loop_write");
  functions.keep_alive = find(library, "mosquitto_loop_misc");
  functions.error_text = find(library, "mosquitto_strerror");
  if (failure_text != NULL) return;
  // OpenSSL's functions, which the library depends on. They only improve a message.
  get_verify_result = (long (*)(const void *))dlsym(library, "SSL_get_verify_result");
  verify_error_text = (const char *(*)(long))dlsym(library, "X509_verify_cert_error_string");
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

const char *fixcast_mosquitto_certificate_error(struct mosquitto *client) {
  const char *failure;
  if (fixcast_mosquitto_load(&failure) == NULL) return NULL;
  void *ssl = get_ssl(client);
  if (ssl == NULL || get_verify_result == NULL || verify_error_text == NULL) return NULL;
  long result = get_verify_result(ssl);
  return result == 0 ? NULL : verify_error_text(result);
}
