// SPDX-License-Identifier: Apache-2.0

#include "CTestConcurrency.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// This function runs before main, and thus before swift-testing reads the variable. Without a
// limit, `swift test` starts every test at once: tests with programs and sockets would then exceed
// their time limits and the limit of open descriptors.
__attribute__((constructor)) static void limit_concurrent_tests(void) {
  char width[16];
  snprintf(width, sizeof width, "%ld", 4 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
