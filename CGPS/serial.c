// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "cgps_serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct termios2) == sizeof(cgps_serial_settings),
               "cgps_serial_settings has the size of struct termios2");

#define RATE(baud) {baud, B##baud}

/// The baud rates that termios has constants for.
static const struct {
  uint32_t baud;
  tcflag_t code;
} rates[] = {
    RATE(300),     RATE(600),     RATE(1200),    RATE(2400),    RATE(4800),    RATE(9600),
    RATE(19200),   RATE(38400),   RATE(57600),   RATE(115200),  RATE(230400),  RATE(460800),
    RATE(500000),  RATE(576000),  RATE(921600),  RATE(1000000), RATE(1152000), RATE(1500000),
    RATE(2000000), RATE(2500000), RATE(3000000), RATE(3500000), RATE(4000000),
};

/// Returns the constant of a baud rate, or BOTHER, with which the kernel uses the speeds.
static tcflag_t code(uint32_t baud) {
  for (size_t index = 0; index < sizeof rates / sizeof *rates; index++) {
    if (rates[index].baud == baud) return rates[index].code;
  }
  return BOTHER;
}

/// Calls ioctl(2) as tcgetattr(3) does, without the function ioctl: umockdev replaces the function
/// for emulated devices, and knows no requests of terminals.
static int call(int descriptor, unsigned long request, void *argument) {
  return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

int cgps_serial_get(int descriptor, cgps_serial_settings *settings) {
  struct termios2 all = {0};
  // qemu-user knows only the older request, whose structure is the first part of termios2.
  if (call(descriptor, TCGETS2, &all) != 0) {
    if (errno != ENOTTY || call(descriptor, TCGETS, &all) != 0) return -1;
    for (size_t index = 0; index < sizeof rates / sizeof *rates; index++) {
      if (rates[index].code == (all.c_cflag & CBAUD)) all.c_ispeed = rates[index].baud;
    }
  }
  memcpy(settings, &all, sizeof all);
  return 0;
}

static int set(int descriptor, struct termios2 *all) {
  bool is_custom = (all->c_cflag & CBAUD) == BOTHER;
  return call(descriptor, is_custom ? TCSETS2 : TCSETS, all);
}

uint32_t cgps_serial_baud(const cgps_serial_settings *settings) {
  struct termios2 all;
  memcpy(&all, settings, sizeof all);
  return all.c_ispeed;
}

int cgps_serial_configure(int descriptor, uint32_t baud) {
  cgps_serial_settings settings;
  if (cgps_serial_get(descriptor, &settings) != 0) return -1;
  struct termios2 all;
  memcpy(&all, &settings, sizeof all);
  all.c_iflag = 0;
  all.c_oflag &= ~OPOST;
  all.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  all.c_cflag &= ~(CSIZE | PARENB | CSTOPB | CRTSCTS | HUPCL);
  all.c_cflag |= CS8 | CREAD | CLOCAL;
  // With VMIN = 1, a read of zero bytes means a hang-up, not missing input.
  all.c_cc[VMIN] = 1;
  all.c_cc[VTIME] = 0;
  if (baud != 0) {
    // Without bits of CIBAUD, the input has the speed of the output.
    all.c_cflag = (all.c_cflag & ~(CBAUD | CIBAUD)) | code(baud);
    all.c_ispeed = all.c_ospeed = baud;
  }
  return set(descriptor, &all);
}

int cgps_serial_restore(int descriptor, const cgps_serial_settings *settings) {
  struct termios2 all;
  memcpy(&all, settings, sizeof all);
  all.c_cflag &= ~HUPCL;
  return set(descriptor, &all);
}
