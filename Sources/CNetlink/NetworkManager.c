// SPDX-License-Identifier: Apache-2.0

#include "NetworkManager.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include <systemd/sd-bus.h>

// The functions used from libsystemd.
#define FUNCTIONS(USE)                                                                           \
  USE(sd_bus_new)                                                                                \
  USE(sd_bus_set_address)                                                                        \
  USE(sd_bus_set_bus_client)                                                                     \
  USE(sd_bus_start)                                                                              \
  USE(sd_bus_is_ready)                                                                           \
  USE(sd_bus_process)                                                                            \
  USE(sd_bus_wait)                                                                               \
  USE(sd_bus_message_new_method_call)                                                            \
  USE(sd_bus_message_set_auto_start)                                                             \
  USE(sd_bus_message_append)                                                                     \
  USE(sd_bus_call)                                                                               \
  USE(sd_bus_message_read)                                                                       \
  USE(sd_bus_message_unref)                                                                      \
  USE(sd_bus_close_unref)

#define DECLARE(name) static __typeof__(name) *p_##name;
FUNCTIONS(DECLARE)

static int is_loaded;

static void load(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name)                                                                               \
  p_##name = (__typeof__(name) *)dlsym(library, #name);                                          \
  if (p_##name == NULL) return;
  FUNCTIONS(FIND)
  is_loaded = 1;
}

static uint64_t now_microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

/// Waits until the connection to the bus is established, or until the deadline.
///
/// The library's own call has no time limit.
static int wait_until_ready(sd_bus *bus, uint64_t deadline) {
  while (1) {
    int result = p_sd_bus_is_ready(bus);
    if (result != 0) return result;
    result = p_sd_bus_process(bus, NULL);
    if (result < 0) return result;
    if (result > 0) continue;
    uint64_t now = now_microseconds();
    if (now >= deadline) return -ETIMEDOUT;
    result = p_sd_bus_wait(bus, deadline - now);
    if (result < 0 && result != -EINTR) return result;
  }
}

static int query_metered(sd_bus *bus, uint64_t deadline) {
  sd_bus_message *request = NULL, *reply = NULL;
  uint32_t metered = 0;
  int result = p_sd_bus_message_new_method_call(
      bus, &request, "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
      "org.freedesktop.DBus.Properties", "Get");
  if (result >= 0) result = p_sd_bus_message_set_auto_start(request, 0);
  if (result >= 0)
    result = p_sd_bus_message_append(request, "ss", "org.freedesktop.NetworkManager", "Metered");
  uint64_t now = now_microseconds();
  // The timeout must not be 0, which would mean the library's default of 25 seconds.
  if (result >= 0 && now >= deadline) result = -ETIMEDOUT;
  if (result >= 0) result = p_sd_bus_call(bus, request, deadline - now, NULL, &reply);
  if (result >= 0) result = p_sd_bus_message_read(reply, "v", "u", &metered);
  if (result >= 0) result = metered <= 4 ? (int)metered : -EPROTO;
  p_sd_bus_message_unref(reply);
  p_sd_bus_message_unref(request);
  return result;
}

int fixcast_network_manager_metered(const char *address, uint64_t timeout_microseconds) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded) return -ENOSYS;
  uint64_t deadline = now_microseconds() + timeout_microseconds;
  sd_bus *bus = NULL;
  int result = p_sd_bus_new(&bus);
  if (result >= 0)
    result = p_sd_bus_set_address(
        bus, address != NULL ? address : "unix:path=/run/dbus/system_bus_socket");
  if (result >= 0) result = p_sd_bus_set_bus_client(bus, 1);
  if (result >= 0) result = p_sd_bus_start(bus);
  if (result >= 0) result = wait_until_ready(bus, deadline);
  if (result >= 0) result = query_metered(bus, deadline);
  p_sd_bus_close_unref(bus);
  return result;
}
