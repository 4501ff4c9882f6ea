// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "cgps_udev.h"

#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct cgps_udev {
  struct udev *udev;
  struct udev_monitor *monitor;
  struct udev_enumerate *enumerate;
  struct udev_list_entry *next;
  int descriptor;
  bool is_managed;
};

bool cgps_udev_is_managed(const cgps_udev *handle) { return handle && handle->is_managed; }

/// Subscribes to the events that udevd sends after its rules have run.
static void subscribe(cgps_udev *handle) {
  handle->monitor = udev_monitor_new_from_netlink(handle->udev, "udev");
  if (!handle->monitor) return;
  udev_monitor_filter_add_match_subsystem_devtype(handle->monitor, "tty", NULL);
  if (udev_monitor_enable_receiving(handle->monitor) < 0) return;
  int descriptor = udev_monitor_get_fd(handle->monitor);
  // In a umockdev test bed the socket is not a netlink socket, and no rules are run.
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  bool is_netlink = getsockname(descriptor, (struct sockaddr *)&address, &size) == 0 &&
                    address.ss_family == AF_NETLINK;
  handle->is_managed = is_netlink && access("/run/udev/control", F_OK) == 0;
  // Without udevd, libudev reports no error but returns a socket that is in no multicast group.
  if (is_netlink && !handle->is_managed) return;
  handle->descriptor = descriptor;
}

cgps_udev *cgps_udev_open(void) {
  cgps_udev *handle = calloc(1, sizeof *handle);
  if (!handle) return NULL;
  handle->descriptor = -1;
  handle->udev = udev_new();
  if (!handle->udev) {
    free(handle);
    return NULL;
  }
  subscribe(handle);
  return handle;
}

int cgps_udev_descriptor(const cgps_udev *handle) { return handle ? handle->descriptor : -1; }

void cgps_udev_close(cgps_udev *handle) {
  if (!handle) return;
  udev_enumerate_unref(handle->enumerate);
  udev_monitor_unref(handle->monitor);
  udev_unref(handle->udev);
  free(handle);
}

static void copy(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from ? from : "");
}

#define COPY(field, text) copy(device->field, sizeof device->field, (text))

/// Returns a udev property or, if udev has not set the property, a sysfs attribute of the parent.
static const char *property_or_attribute(
    struct udev_device *from, const char *property, struct udev_device *parent,
    const char *attribute) {
  const char *text = udev_device_get_property_value(from, property);
  if (text && *text) return text;
  return parent ? udev_device_get_sysattr_value(parent, attribute) : NULL;
}

static bool property_is_one(struct udev_device *from, const char *property) {
  const char *text = udev_device_get_property_value(from, property);
  return text && strcmp(text, "1") == 0;
}

/// Copies complete links only: a truncated link would be a different path.
static void copy_links(struct udev_device *from, cgps_udev_device *device) {
  COPY(links, NULL);
  const char *links = udev_device_get_property_value(from, "DEVLINKS");
  if (!links) return;
  size_t length = strlen(links);
  if (length >= sizeof device->links) {
    length = sizeof device->links - 1;
    while (length > 0 && links[length] != ' ') length--;
  }
  memcpy(device->links, links, length);
  device->links[length] = '\0';
}

/// Returns the driver of the USB interface or, for other ports, of the parent device.
static const char *driver_of(struct udev_device *from, struct udev_device *interface) {
  const char *driver = udev_device_get_property_value(from, "ID_USB_DRIVER");
  if (driver && *driver) return driver;
  if (interface) return udev_device_get_driver(interface);
  struct udev_device *parent = udev_device_get_parent(from);
  return parent ? udev_device_get_driver(parent) : NULL;
}

static void read_device(struct udev_device *from, cgps_udev_device *device) {
  memset(device, 0, sizeof *device);
  // The parents belong to the device and are freed with it.
  struct udev_device *usb =
      udev_device_get_parent_with_subsystem_devtype(from, "usb", "usb_device");
  struct udev_device *interface =
      udev_device_get_parent_with_subsystem_devtype(from, "usb", "usb_interface");
  COPY(action, udev_device_get_action(from));
  COPY(devnode, udev_device_get_devnode(from));
  COPY(syspath, udev_device_get_syspath(from));
  COPY(subsystem, udev_device_get_subsystem(from));
  copy_links(from, device);
  COPY(usb_syspath, usb ? udev_device_get_syspath(usb) : NULL);
  // ID_VENDOR_ID is not used, since udev's rules also store the vendor of a PCI card in it.
  COPY(vendor_id, usb ? property_or_attribute(from, "ID_USB_VENDOR_ID", usb, "idVendor") : NULL);
  COPY(product_id, usb ? property_or_attribute(from, "ID_USB_MODEL_ID", usb, "idProduct") : NULL);
  // The USB descriptor's text is preferred, because udev replaces spaces in its property.
  const char *maker = usb ? udev_device_get_sysattr_value(usb, "manufacturer") : NULL;
  const char *model = usb ? udev_device_get_sysattr_value(usb, "product") : NULL;
  COPY(vendor_name, maker ? maker : udev_device_get_property_value(from, "ID_VENDOR"));
  COPY(model_name, model ? model : udev_device_get_property_value(from, "ID_MODEL"));
  COPY(serial_number, property_or_attribute(from, "ID_SERIAL_SHORT", usb, "serial"));
  COPY(
      interface_number,
      property_or_attribute(from, "ID_USB_INTERFACE_NUM", interface, "bInterfaceNumber"));
  COPY(driver, driver_of(from, interface));
  COPY(claim, udev_device_get_property_value(from, "ID_FIXCAST"));
  device->is_tagged = udev_device_has_tag(from, "fixcast") > 0;
  device->is_modem_gps = property_is_one(from, "ID_MM_PORT_TYPE_GPS");
  device->is_initialized = udev_device_get_is_initialized(from) > 0;
  const char *type = udev_device_get_sysattr_value(from, "type");
  device->uart_type = type ? (int32_t)strtol(type, NULL, 10) : -1;
}

int cgps_udev_scan(cgps_udev *handle) {
  if (!handle) return -EINVAL;
  handle->next = NULL;
  udev_enumerate_unref(handle->enumerate);
  handle->enumerate = udev_enumerate_new(handle->udev);
  if (!handle->enumerate) return -ENOMEM;
  int result = udev_enumerate_add_match_subsystem(handle->enumerate, "tty");
  if (result >= 0) result = udev_enumerate_scan_devices(handle->enumerate);
  if (result < 0) return result;
  handle->next = udev_enumerate_get_list_entry(handle->enumerate);
  return 0;
}

int cgps_udev_next(cgps_udev *handle, cgps_udev_device *device) {
  if (!handle || !device) return 0;
  while (handle->next) {
    const char *syspath = udev_list_entry_get_name(handle->next);
    handle->next = udev_list_entry_get_next(handle->next);
    struct udev_device *listed = udev_device_new_from_syspath(handle->udev, syspath);
    // NULL if the device was removed after the enumeration.
    if (!listed) continue;
    read_device(listed, device);
    udev_device_unref(listed);
    return 1;
  }
  udev_enumerate_unref(handle->enumerate);
  handle->enumerate = NULL;
  return 0;
}

int cgps_udev_receive(cgps_udev *handle, cgps_udev_device *device) {
  if (!handle || !device || handle->descriptor < 0) return 0;
  errno = 0;
  struct udev_device *received = udev_monitor_receive_device(handle->monitor);
  if (!received) {
    // For a message that libudev filters out, errno is 0 or one of these errors.
    return errno == 0 || errno == EAGAIN || errno == EINTR || errno == ENODATA ? 0 : -1;
  }
  read_device(received, device);
  udev_device_unref(received);
  return 1;
}
