// SPDX-License-Identifier: Apache-2.0
//
// The only code that includes gps.h and libudev.h, and the settings of serial ports.

#ifndef CGPS_H
#define CGPS_H

#include "cgps_gpsd.h"
#include "cgps_serial.h"
#include "cgps_udev.h"

#endif
