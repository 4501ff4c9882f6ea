// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// The device type of an interface, set by its driver and not available through netlink.
enum DeviceType {
  /// Reads `DEVTYPE` from `/sys/class/net/NAME/uevent`, such as `wlan`, `wwan` or `bridge`.
  ///
  /// Returns `nil` if the driver sets no device type, as for Ethernet.
  static func of(_ name: String, folder: String = "/sys/class/net") -> String? {
    // The kernel does not allow such names, but a recorded frame may contain anything.
    guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
    return BoundedFile.text("\(folder)/\(name)/uevent").flatMap(find)
  }

  static func find(in text: String) -> String? {
    let prefix = "DEVTYPE="
    return text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
  }
}
