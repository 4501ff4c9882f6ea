// SPDX-License-Identifier: Apache-2.0

// One question to NetworkManager over the system's D-Bus, by systemd's library. The library is
// loaded when the first question is asked: a board without it, or without NetworkManager, is none
// the worse for it.

#ifndef FIXCAST_NETWORK_MANAGER_H
#define FIXCAST_NETWORK_MANAGER_H

#include <stdint.h>

/// NetworkManager's property "Metered", 0 to 4, or a negative errno: -ETIMEDOUT where the answer
/// was not there in time, any other where there is nobody to ask.
///
/// Starts no service. Waits for the timeout at most, the connection to the bus included. The
/// address is D-Bus's, such as "unix:path=/run/dbus/system_bus_socket"; NULL means the system's.
int fixcast_network_manager_metered(const char *address, uint64_t timeout_microseconds);

#endif
