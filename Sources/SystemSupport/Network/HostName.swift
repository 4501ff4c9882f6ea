// SPDX-License-Identifier: Apache-2.0

internal import Glibc

package enum HostName {
  /// The name of this host; `nil` if it has none.
  package static var text: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
