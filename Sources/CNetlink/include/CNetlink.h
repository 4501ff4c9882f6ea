// SPDX-License-Identifier: Apache-2.0

// Constants and structs of netlink, timerfd and inotify that Swift's Glibc module lacks. Messages
// are parsed in Swift, where every access is bounds-checked.

#ifndef FIXCAST_CNETLINK_H
#define FIXCAST_CNETLINK_H

#include "NetworkManager.h"

#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

// Macros with a cast or an alias to an enum are not visible in Swift; they are repeated here.
enum {
  // Changes of rules and next hops affect routing without a notification about the routes.
  fixcast_rtmgrp_all = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE |
                       RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_RULE |
                       1 << (RTNLGRP_IPV6_RULE - 1),
  fixcast_rtmgrp_next_hops = RTNLGRP_NEXTHOP - 1,
  fixcast_nlm_f_dump = NLM_F_ROOT | NLM_F_MATCH,
  fixcast_tfd_cloexec_nonblock = TFD_CLOEXEC | TFD_NONBLOCK,
  fixcast_in_cloexec_nonblock = IN_CLOEXEC | IN_NONBLOCK,
  // Events that may change a file in a folder, and events that end the watch of a folder.
  fixcast_in_changes = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF |
                       IN_MOVE_SELF,
  fixcast_in_lost = IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF,
  fixcast_in_only_folders = IN_ONLYDIR,
  fixcast_tfd_absolute_cancel_on_set = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
};

/// Calls accept4(2) with SOCK_CLOEXEC, which Swift's Glibc module lacks.
int fixcast_accept(int listening);

#endif
