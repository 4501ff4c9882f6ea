// SPDX-License-Identifier: Apache-2.0

// The functions of libmosquitto that Fixcast calls. The library is loaded with the first connection
// to an MQTT broker, so that Fixcast also runs on boards without it.

#ifndef FIXCAST_CMOSQUITTO_H
#define FIXCAST_CMOSQUITTO_H

#include <mosquitto.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  __typeof__(mosquitto_new) *create;
  __typeof__(mosquitto_destroy) *destroy;
  __typeof__(mosquitto_username_pw_set) *set_credentials;
  __typeof__(mosquitto_will_set) *set_will;
  __typeof__(mosquitto_tls_set) *set_tls;
  __typeof__(mosquitto_connect_callback_set) *on_connect;
  __typeof__(mosquitto_publish_callback_set) *on_publish;
  __typeof__(mosquitto_message_callback_set) *on_message;
  __typeof__(mosquitto_log_callback_set) *on_log;
  __typeof__(mosquitto_connect) *connect;
  __typeof__(mosquitto_publish) *publish;
  __typeof__(mosquitto_subscribe) *subscribe;
  __typeof__(mosquitto_disconnect) *disconnect;
  __typeof__(mosquitto_socket) *socket;
  __typeof__(mosquitto_want_write) *wants_to_write;
  __typeof__(mosquitto_loop_read) *read;
  __typeof__(mosquitto_loop_write) *write;
  __typeof__(mosquitto_loop_misc) *keep_alive;
  __typeof__(mosquitto_strerror) *error_text;
} fixcast_mosquitto_functions;

/// Returns the functions of the library; NULL if it cannot be loaded, with the reason in `failure`.
const fixcast_mosquitto_functions *fixcast_mosquitto_load(const char **failure);

/// Returns why the certificate of a broker was rejected; NULL if it was not.
///
/// Valid only during the handshake, for example in a log callback.
const char *fixcast_mosquitto_certificate_error(struct mosquitto *client);

/// Reads the certificate that a broker has sent, also one that was rejected.
///
/// Valid only during the handshake, for example in a log callback. Writes the names and addresses,
/// or the common name without both, each followed by a line feed; the common name or the
/// organization of the issuer; and the start and the end of the validity. Returns 0 if there is no
/// certificate yet.
int fixcast_mosquitto_read_certificate(
    struct mosquitto *client, char *names, size_t names_size, char *issuer, size_t issuer_size,
    int64_t seconds_since_1970[2]);

/// Replaces a socket by another one with dup3(2), which Swift's Glibc module lacks.
int fixcast_mosquitto_replace_socket(int socket, int other);

#endif
