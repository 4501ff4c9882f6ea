// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The group of a devnode, and whether the group may read the devnode.
struct NodeGroup: Equatable, Sendable {
  /// The name of the group; `nil` if the devnode does not exist or its group has no name.
  var name: String?
  /// Whether members of the group may read the devnode.
  var mayRead: Bool
  /// Whether the devnode is a console of the screen or a pseudo-terminal, which belong to logins.
  var isTerminal = false

  init(name: String?, mayRead: Bool) {
    self.name = name
    self.mayRead = mayRead
  }

  init(of devnode: String) {
    var status = stat()
    guard stat(devnode, &status) == 0 else {
      self.init(name: nil, mayRead: false)
      return
    }
    var (entry, found) = (group(), UnsafeMutablePointer<group>?.none)
    var buffer = [CChar](repeating: 0, count: 16_384)
    let name = buffer.withUnsafeMutableBufferPointer { buffer -> String? in
      guard
        getgrgid_r(status.st_gid, &entry, buffer.baseAddress, buffer.count, &found) == 0,
        found != nil, let name = entry.gr_name
      else { return nil }
      return String(cString: name)
    }
    self.init(name: name, mayRead: status.st_mode & S_IRGRP != 0)
    isTerminal =
      devnode.hasPrefix("/dev/pts/")
      || devnode.hasPrefix("/dev/tty")
        && devnode.dropFirst("/dev/tty".count).first?.isNumber == true
  }

  /// The remedy, such as the command that gives the user permission to read the devnode.
  var advice: String {
    // A login makes itself the owner of its port, and gives the port this group.
    guard name != "tty" || isTerminal else {
      return "a login has taken it, such as one on a serial console; for the command that ends it, "
        + "see: fixcast doctor"
    }
    guard let name, mayRead, name != "root" else {
      // Debian's rules assign groups to devices that are added, not to those that change.
      return "run the udev rules, which assign it to a group: sudo udevadm control --reload "
        + "&& sudo udevadm trigger --action=add --subsystem-match=tty"
    }
    return "add your user to its group: sudo usermod -aG \(name) \"$USER\", then log in again"
  }
}
