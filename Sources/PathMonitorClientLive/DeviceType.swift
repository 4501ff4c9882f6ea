// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a driver calls its interface, which netlink does not tell.
enum DeviceType {
  /// `DEVTYPE` of `/sys/class/net/NAME/uevent`, such as `wlan`, `wwan` or `bridge`.
  ///
  /// `nil` where the driver says nothing, as those of plain Ethernet do.
  static func of(_ name: String, folder: String = "/sys/class/net") -> String? {
    // The kernel allows no such name; a recorded frame may hold anything.
    guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
    return SmallFile.text("\(folder)/\(name)/uevent").flatMap(find)
  }

  static func find(in text: String) -> String? {
    let prefix = "DEVTYPE="
    return text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
  }
}

/// A file of the system that is read whole.
enum SmallFile {
  /// Its text, up to 64 KiB.
  ///
  /// `nil` where it cannot be read.
  static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      return count < 0
        ? nil : String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }
}
