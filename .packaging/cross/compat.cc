// SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc 2.38 and libstdc++ 13 for programs that run on Debian 12, which has older versions. The
// static libraries of Debian's Swift call them.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ios>

// The functions of C23 also accept binary numbers, such as 0b11, which the older functions do not.
extern "C" {
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) {
  return strtoll(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
  return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
  return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

size_t strlcpy(char *target, const char *source, size_t size) {
  const size_t length = strlen(source);
  if (size > 0) {
    const size_t copied = length < size ? length : size - 1;
    memcpy(target, source, copied);
    target[copied] = 0;
  }
  return length;
}

size_t strlcat(char *target, const char *source, size_t size) {
  const size_t length = strnlen(target, size);
  return length + (length == size ? strlen(source) : strlcpy(target + length, source, size - length));
}
}

namespace std {
// libstdc++ 12 initializes the standard streams in each object that includes <iostream>; libstdc++ 13
// calls this function instead.
void ios_base_library_init() { static ios_base::Init streams; }
}  // namespace std
