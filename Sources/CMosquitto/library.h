// SPDX-License-Identifier: Apache-2.0

#ifndef FIXCAST_CMOSQUITTO_LIBRARY_H
#define FIXCAST_CMOSQUITTO_LIBRARY_H

struct mosquitto;

// Returns OpenSSL's object of a connection; NULL without TLS or before the handshake.
void *fixcast_mosquitto_ssl(struct mosquitto *client);

// Returns a function of OpenSSL, which libmosquitto depends on; NULL if it does not exist.
void *fixcast_mosquitto_openssl(const char *name);

#endif
