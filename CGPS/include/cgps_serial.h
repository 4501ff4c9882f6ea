// SPDX-License-Identifier: Apache-2.0
//
// Configures a serial port for reading, with any baud rate.
//
// A baud rate that termios has no constant for is set with `struct termios2` of the kernel. glibc
// does not declare it, and the kernel's header cannot be included beside `termios.h`.

#ifndef CGPS_SERIAL_H
#define CGPS_SERIAL_H

#include <stdint.h>

/// The settings of a port, a `struct termios2`.
typedef struct {
  uint32_t words[11];
} cgps_serial_settings;

/// Stores the settings of a port. Returns 0, or -1 with `errno`.
int cgps_serial_get(int descriptor, cgps_serial_settings *settings);

/// Returns the baud rate at which a port receives; 0 if none is set.
uint32_t cgps_serial_baud(const cgps_serial_settings *settings);

/// Sets a raw line of 8 data bits, no parity and one stop bit, without flow control and modem lines.
///
/// A read waits for at least one byte. The last close of the port does not change DTR and RTS, which
/// would reset some boards. The baud rate 0 keeps the port's baud rate. Returns 0, or -1 with
/// `errno`. As with tcsetattr(3), a driver may apply only a part of the settings, or the nearest
/// baud rate that it can generate.
int cgps_serial_configure(int descriptor, uint32_t baud);

/// Sets stored settings again, but without HUPCL. Returns 0, or -1 with `errno`.
int cgps_serial_restore(int descriptor, const cgps_serial_settings *settings);

#endif
