// SPDX-License-Identifier: Apache-2.0
//
// API 9 with the version number 10: checks that the compile test detects unhandled differences.

#include "../api-9/gps.h"

#undef GPSD_API_MAJOR_VERSION
#define GPSD_API_MAJOR_VERSION 10
