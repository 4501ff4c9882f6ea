// SPDX-License-Identifier: Apache-2.0
//
// API 9 that calls itself 10: shows that the compile test notices a difference that is not met.

#include "../api-9/gps.h"

#undef GPSD_API_MAJOR_VERSION
#define GPSD_API_MAJOR_VERSION 10
