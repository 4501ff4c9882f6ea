// SPDX-License-Identifier: Apache-2.0

#include "places.h"

// `#embed` is C23; clang supports it in all C modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Version 2 of the format. The build system compiles this file again only if it changes.
static const unsigned char bytes[] = {
#embed "places.bin"
};

const void *fixcast_places(size_t *length) {
  *length = sizeof bytes;
  return bytes;
}
