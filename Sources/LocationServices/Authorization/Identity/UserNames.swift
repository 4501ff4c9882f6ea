// SPDX-License-Identifier: Apache-2.0

internal import Glibc

package enum UserNames {
  /// Returns the ID of a user; `nil` if the user does not exist.
  package static func number(_ name: String) -> UInt32? {
    entry { getpwnam_r(name, $0, $1, $2, $3) }?.number
  }

  /// Returns the name of a user; `nil` if the user has no name.
  package static func name(_ number: UInt32) -> String? {
    entry { getpwuid_r(number, $0, $1, $2, $3) }?.name
  }

  private typealias Lookup = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  private static func entry(_ lookup: Lookup) -> (number: UInt32, name: String)? {
    var record = passwd()
    var result: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard let base = buffer.baseAddress, lookup(&record, base, buffer.count, &result) == 0,
        let result, let name = result.pointee.pw_name
      else { return nil }
      return (result.pointee.pw_uid, String(cString: name))
    }
  }
}
