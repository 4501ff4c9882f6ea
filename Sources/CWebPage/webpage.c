// SPDX-License-Identifier: Apache-2.0

#include "webpage.h"

#include <zlib.h>

// `#embed` is C23; clang supports it in all C modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_bytes[] = {
#embed "../DaemonServer/Web/Page/index.html"
};
static const unsigned char style_bytes[] = {
#embed "../DaemonServer/Web/Page/fixcast.css"
};
static const unsigned char script_bytes[] = {
#embed "../DaemonServer/Web/Page/fixcast.js"
};
static const unsigned char coastline_bytes[] = {
#embed "../DaemonServer/Web/Page/coastline.bin"
};
static const unsigned char openapi_bytes[] = {
#embed "../DaemonServer/Web/openapi.json"
};

const void *fixcast_web_bytes(enum fixcast_web_file file, size_t *length) {
  switch (file) {
  case fixcast_web_index:
    *length = sizeof index_bytes;
    return index_bytes;
  case fixcast_web_style:
    *length = sizeof style_bytes;
    return style_bytes;
  case fixcast_web_script:
    *length = sizeof script_bytes;
    return script_bytes;
  case fixcast_web_coastline:
    *length = sizeof coastline_bytes;
    return coastline_bytes;
  case fixcast_web_openapi:
    *length = sizeof openapi_bytes;
    return openapi_bytes;
  }
  *length = 0;
  return index_bytes;
}

size_t fixcast_web_gzip(enum fixcast_web_file file, void *target, size_t capacity) {
  size_t length;
  const void *bytes = fixcast_web_bytes(file, &length);
  z_stream stream = {0};
  // 16 selects the format of gzip.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = (z_const Bytef *)bytes;
  stream.avail_in = (uInt)length;
  stream.next_out = target;
  stream.avail_out = (uInt)capacity;
  int code = deflate(&stream, Z_FINISH);
  size_t written = code == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return written;
}
