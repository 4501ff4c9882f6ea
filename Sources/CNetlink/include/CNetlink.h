// SPDX-License-Identifier: Apache-2.0

// The kernel's words for netlink and for a clock that is set: constants and structs which Swift's
// Glibc module does not carry. No function: framing is done in Swift, where every access is bounds-checked.

#ifndef FIXCAST_CNETLINK_H
#define FIXCAST_CNETLINK_H

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

// Macros with a cast or an alias to an enum are invisible to Swift: named again here.
enum {
  fixcast_rtmgrp_all = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE |
                       RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE,
  fixcast_nlm_f_dump = NLM_F_ROOT | NLM_F_MATCH,
  fixcast_tfd_cloexec_nonblock = TFD_CLOEXEC | TFD_NONBLOCK,
  fixcast_tfd_absolute_cancel_on_set = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
};

#endif
