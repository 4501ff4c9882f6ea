// SPDX-License-Identifier: Apache-2.0

// A query to NetworkManager over the system D-Bus, with libsystemd. The library is loaded with the
// first query, so that Fixcast also runs on boards without libsystemd or NetworkManager.

#ifndef FIXCAST_NETWORK_MANAGER_H
#define FIXCAST_NETWORK_MANAGER_H

#include <stdint.h>

/// Returns NetworkManager's property "Metered", 0 to 4, or a negative errno: -ETIMEDOUT after the
/// timeout, or another error if NetworkManager is not available.
///
/// Does not start NetworkManager. The timeout includes the connection to the bus. The address is in
/// D-Bus notation, such as "unix:path=/run/dbus/system_bus_socket"; NULL means the system bus.
int fixcast_network_manager_metered(const char *address, uint64_t timeout_microseconds);

#endif
