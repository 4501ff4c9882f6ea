// SPDX-License-Identifier: Apache-2.0

// The files of the status page as read-only data of the program, which need no file at run time and
// whose pages are loaded only when they are read, and compression for their delivery.

#ifndef FIXCAST_CWEBPAGE_H
#define FIXCAST_CWEBPAGE_H

#include <stddef.h>

enum fixcast_web_file {
  fixcast_web_index,
  fixcast_web_style,
  fixcast_web_script,
  fixcast_web_coastline,
  fixcast_web_openapi,
};

// Returns the contents of a file and sets `length` to its size in bytes.
const void *fixcast_web_bytes(enum fixcast_web_file file, size_t *length);

// Compresses a file in the format of gzip(1) and returns the number of bytes written to `target`; 0
// if the result is longer than `capacity` or memory is exhausted.
size_t fixcast_web_gzip(enum fixcast_web_file file, void *target, size_t capacity);

#endif
