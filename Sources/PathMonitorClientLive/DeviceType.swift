// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// What a driver calls its interface, which netlink does not tell.
enum DeviceType {
  /// `DEVTYPE` of `/sys/class/net/NAME/uevent`, such as `wlan`, `wwan` or `bridge`.
  ///
  /// `nil` where the driver says nothing, as those of plain Ethernet do.
  static func of(_ name: String, folder: String = "/sys/class/net") -> String? {
    // The kernel allows no such name; a recorded frame may hold anything.
    guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
    return BoundedFile.text("\(folder)/\(name)/uevent").flatMap(find)
  }

  static func find(in text: String) -> String? {
    let prefix = "DEVTYPE="
    return text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
  }
}
