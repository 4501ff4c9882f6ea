// SPDX-License-Identifier: Apache-2.0

// The functions of OpenSSL are found at run time, as those of libmosquitto. They only improve
// messages: without one of them, the certificate is not read.

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "CMosquitto.h"
#include "library.h"

// Declares a variable that has the name of a function and points to it.
#define FIND(result, name, ...) \
  result(*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))fixcast_mosquitto_openssl(#name); \
  if (name == NULL) return 0

enum {
  common_name = 13,
  organization = 17,
  subject_alternative_names = 85,
  type_dns = 2,
  type_address = 7,
};

const char *fixcast_mosquitto_certificate_error(struct mosquitto *client) {
  void *ssl = fixcast_mosquitto_ssl(client);
  if (ssl == NULL) return NULL;
  FIND(long, SSL_get_verify_result, const void *ssl);
  FIND(const char *, X509_verify_cert_error_string, long number);
  long result = SSL_get_verify_result(ssl);
  return result == 0 ? NULL : X509_verify_cert_error_string(result);
}

// Appends a name and a line feed, if there is room. A byte that would end the name is replaced.
static void append(char *names, size_t size, const unsigned char *bytes, int count) {
  size_t used = strlen(names);
  if (bytes == NULL || count <= 0 || used + (size_t)count + 2 > size) return;
  for (int i = 0; i < count; i++) {
    names[used++] = bytes[i] == 0 || bytes[i] == '\n' ? '?' : (char)bytes[i];
  }
  names[used++] = '\n';
  names[used] = 0;
}

static int read_alternative_names(const void *x509, char *names, size_t size) {
  FIND(void *, X509_get_ext_d2i, const void *x509, int nid, int *critical, int *index);
  FIND(void, GENERAL_NAMES_free, void *list);
  FIND(int, OPENSSL_sk_num, const void *list);
  FIND(void *, OPENSSL_sk_value, const void *list, int index);
  FIND(void *, GENERAL_NAME_get0_value, const void *name, int *type);
  FIND(const unsigned char *, ASN1_STRING_get0_data, const void *string);
  FIND(int, ASN1_STRING_length, const void *string);
  void *list = X509_get_ext_d2i(x509, subject_alternative_names, NULL, NULL);
  if (list == NULL) return 1;
  for (int i = 0; i < OPENSSL_sk_num(list); i++) {
    int type = -1;
    const void *value = GENERAL_NAME_get0_value(OPENSSL_sk_value(list, i), &type);
    if (value == NULL || (type != type_dns && type != type_address)) continue;
    const unsigned char *bytes = ASN1_STRING_get0_data(value);
    int count = ASN1_STRING_length(value);
    char address[INET6_ADDRSTRLEN];
    if (type == type_address) {
      int family = count == 4 ? AF_INET : AF_INET6;
      if ((count != 4 && count != 16) || !inet_ntop(family, bytes, address, sizeof address)) {
        continue;
      }
      bytes = (const unsigned char *)address;
      count = (int)strlen(address);
    }
    append(names, size, bytes, count);
  }
  GENERAL_NAMES_free(list);
  return 1;
}

// Reads the common name or the organization; the text is empty without both.
static int read_name(void *name, char *text, size_t size) {
  text[0] = 0;
  FIND(int, X509_NAME_get_text_by_NID, void *name, int nid, char *text, int size);
  if (name == NULL || X509_NAME_get_text_by_NID(name, common_name, text, (int)size) > 0) return 1;
  if (X509_NAME_get_text_by_NID(name, organization, text, (int)size) <= 0) text[0] = 0;
  return 1;
}

static int read_time(const void *time, int64_t *seconds) {
  FIND(int, ASN1_TIME_to_tm, const void *time, struct tm *fields);
  struct tm fields;
  if (time == NULL || ASN1_TIME_to_tm(time, &fields) != 1) return 0;
  *seconds = timegm(&fields);
  return 1;
}

int fixcast_mosquitto_read_certificate(
    struct mosquitto *client, char *names, size_t names_size, char *issuer, size_t issuer_size,
    int64_t seconds_since_1970[2]) {
  void *ssl = fixcast_mosquitto_ssl(client);
  if (ssl == NULL) return 0;
  FIND(void *, SSL_get0_verified_chain, const void *ssl);
  FIND(void *, OPENSSL_sk_value, const void *list, int index);
  FIND(void *, X509_get_subject_name, const void *x509);
  FIND(void *, X509_get_issuer_name, const void *x509);
  FIND(const void *, X509_get0_notBefore, const void *x509);
  FIND(const void *, X509_get0_notAfter, const void *x509);
  // The chain is kept if it was rejected; its first certificate is the broker's.
  const void *chain = SSL_get0_verified_chain(ssl);
  const void *x509 = chain != NULL ? OPENSSL_sk_value(chain, 0) : NULL;
  if (x509 == NULL) return 0;
  names[0] = 0;
  if (!read_alternative_names(x509, names, names_size)) return 0;
  if (names[0] == 0) {
    char name[256];
    if (!read_name(X509_get_subject_name(x509), name, sizeof name)) return 0;
    append(names, names_size, (const unsigned char *)name, (int)strlen(name));
  }
  return read_name(X509_get_issuer_name(x509), issuer, issuer_size) &&
         read_time(X509_get0_notBefore(x509), &seconds_since_1970[0]) &&
         read_time(X509_get0_notAfter(x509), &seconds_since_1970[1]);
}
