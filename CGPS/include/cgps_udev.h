// SPDX-License-Identifier: Apache-2.0
//
// libudev's serial devices, present and coming, behind one opaque handle and one flat struct.
//
// Why it exists: a device of libudev is a tree of reference-counted parents whose strings die with
// it, its lists are walked by macros that Swift does not see, and a monitor that nobody will ever
// feed looks like any other. All of that ends here: every text is copied, bounded and terminated.

#ifndef CGPS_UDEV_H
#define CGPS_UDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGPS_UDEV_TEXT_MAX 256
/// A path of sysfs through some hubs is longer than most texts.
#define CGPS_UDEV_PATH_MAX 1024
/// All links of a device, separated by blanks; cut only between links.
#define CGPS_UDEV_LINKS_MAX 2048

typedef struct cgps_udev cgps_udev;

/// A tty device. A text that is empty is not known.
typedef struct {
  /// add, change, remove and the like; empty where the device was enumerated.
  char action[32];
  char devnode[CGPS_UDEV_PATH_MAX];
  char syspath[CGPS_UDEV_PATH_MAX];
  char subsystem[32];
  char links[CGPS_UDEV_LINKS_MAX];

  // Of the USB device that it belongs to, if any.
  char usb_syspath[CGPS_UDEV_PATH_MAX];
  char vendor_id[16];
  char product_id[16];
  char vendor_name[CGPS_UDEV_TEXT_MAX];
  char model_name[CGPS_UDEV_TEXT_MAX];
  char serial_number[CGPS_UDEV_TEXT_MAX];
  char interface_number[16];
  char driver[CGPS_UDEV_TEXT_MAX];

  /// The property ID_FIXCAST, which our rules set.
  char claim[32];
  /// Whether our rules put their tag on it.
  bool is_tagged;
  /// Whether ModemManager's rules call it the port that sends positions.
  bool is_modem_gps;
  /// Whether the rules have run for it.
  bool is_initialized;
  /// The kind of UART, 0 where there is none behind the devnode; -1 where it is no UART.
  int32_t uart_type;
} cgps_udev_device;

/// Subscribes to tty devices, before anything is enumerated, so that none is missed in between.
///
/// A failed subscription is no error: see `cgps_udev_descriptor`. NULL only without memory.
cgps_udev *cgps_udev_open(void);

/// Whether udevd runs here, so that devices are initialized and links made.
bool cgps_udev_is_managed(const cgps_udev *handle);

/// The socket for poll(2); -1 where nobody will ever send anything: no udevd, as in a container.
int cgps_udev_descriptor(const cgps_udev *handle);

/// Begins to enumerate; 0, or a negative error number.
int cgps_udev_scan(cgps_udev *handle);

/// The next enumerated device: 1, or 0 at the end.
int cgps_udev_next(cgps_udev *handle, cgps_udev_device *device);

/// Receives an event without waiting.
///
/// 1: `device` holds it. 0: nothing for us, which is normal after poll(2) said otherwise.
/// -1: events were lost or the socket failed, by `errno`; enumerate again.
int cgps_udev_receive(cgps_udev *handle, cgps_udev_device *device);

/// Closes and frees; NULL is fine.
void cgps_udev_close(cgps_udev *handle);

#endif
