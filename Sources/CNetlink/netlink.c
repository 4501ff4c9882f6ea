// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CNetlink.h"

#include <stddef.h>

int fixcast_accept(int listening) { return accept4(listening, NULL, NULL, SOCK_CLOEXEC); }
