// SPDX-License-Identifier: Apache-2.0
//
// Enumerates and monitors serial devices with libudev, behind an opaque handle and a flat struct.
//
// This wrapper hides three problems of libudev from Swift: freeing a device also frees the strings
// of its parents; the lists of libudev are iterated with macros that Swift cannot import; and
// without udevd a monitor opens without an error but never receives an event. Here, every text is
// copied, bounded and terminated.

#ifndef CGPS_UDEV_H
#define CGPS_UDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGPS_UDEV_TEXT_MAX 256
/// The size of a path: sysfs paths through several USB hubs are longer than other texts.
#define CGPS_UDEV_PATH_MAX 1024
/// The size of all links of a device, separated by spaces; the text is truncated between links.
#define CGPS_UDEV_LINKS_MAX 2048

typedef struct cgps_udev cgps_udev;

/// A tty device. Unknown texts are empty.
typedef struct {
  /// The event's action, such as add, change or remove; empty for an enumerated device.
  char action[32];
  char devnode[CGPS_UDEV_PATH_MAX];
  char syspath[CGPS_UDEV_PATH_MAX];
  char subsystem[32];
  char links[CGPS_UDEV_LINKS_MAX];

  // Properties of the parent USB device, if any.
  char usb_syspath[CGPS_UDEV_PATH_MAX];
  char vendor_id[16];
  char product_id[16];
  char vendor_name[CGPS_UDEV_TEXT_MAX];
  char model_name[CGPS_UDEV_TEXT_MAX];
  char serial_number[CGPS_UDEV_TEXT_MAX];
  char interface_number[16];
  char driver[CGPS_UDEV_TEXT_MAX];

  /// The property ID_FIXCAST that Fixcast's udev rules set, such as receiver or candidate.
  char claim[32];
  /// Whether the device has the tag `fixcast`, which Fixcast's udev rules set.
  bool is_tagged;
  /// Whether ModemManager's rules mark the port as a modem's GPS port.
  bool is_modem_gps;
  /// Whether udevd has processed the device with its rules.
  bool is_initialized;
  /// The UART type: 0 if no hardware is behind the devnode, -1 if the device is not a UART.
  int32_t uart_type;
} cgps_udev_device;

/// Subscribes to events of tty devices.
///
/// Call `cgps_udev_scan` afterwards; the reverse order would miss devices added between the calls.
/// Ignores a failed subscription: see `cgps_udev_descriptor`. Returns NULL only if out of memory.
cgps_udev *cgps_udev_open(void);

/// Whether udevd is running, so that devices are initialized and links are created.
bool cgps_udev_is_managed(const cgps_udev *handle);

/// Returns the socket for poll(2), or -1 if no events can arrive: the subscription failed, or udevd
/// is not running, as in a container.
int cgps_udev_descriptor(const cgps_udev *handle);

/// Starts an enumeration. Returns 0 or a negative error number.
int cgps_udev_scan(cgps_udev *handle);

/// Stores the next enumerated device in `device`. Returns 1, or 0 at the end.
int cgps_udev_next(cgps_udev *handle, cgps_udev_device *device);

/// Receives an event without waiting.
///
/// Returns 1 if `device` holds an event; 0 if no event of a tty device is available, which may
/// happen even after poll(2) reported input; or -1 with `errno` if events were lost or the socket
/// failed.
/// After -1, enumerate again.
int cgps_udev_receive(cgps_udev *handle, cgps_udev_device *device);

/// Closes the subscription and frees the handle. NULL is allowed.
void cgps_udev_close(cgps_udev *handle);

#endif
