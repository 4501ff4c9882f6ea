// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Who is logged in on the board, as systemd-logind writes it down in `/run/systemd/users`.
///
/// A user there may be logged in, or have programs only that linger: `STATE=` tells, in the words
/// of sd_uid_get_state(3).
struct LoginSessions: Hashable, Sendable {
  private static let mostBytes = 65_536

  /// What stands before all paths.
  let root: String

  /// Where each user who has anything to do with the board has a file, named by the number.
  var folder: String { "\(root)/run/systemd/users" }

  /// Whether a user has an active session.
  ///
  /// - Parameter user: The user.
  /// - Returns: Whether; `nil` where nobody keeps a record of it, as on a board without systemd.
  func isActive(_ user: UInt32) -> Bool? {
    // What sd_booted(3) goes by; the other folder alone may have come with a package.
    guard access("\(root)/run/systemd/system", F_OK) == 0, access(folder, F_OK) == 0 else {
      return nil
    }
    // A file that is not there or cannot be read is nobody's session.
    guard let bytes = try? BoundedFile.read("\(folder)/\(user)", limit: Self.mostBytes) else {
      return false
    }
    return bytes.split(separator: UInt8(ascii: "\n"))
      .contains { $0.elementsEqual("STATE=active".utf8) }
  }
}
