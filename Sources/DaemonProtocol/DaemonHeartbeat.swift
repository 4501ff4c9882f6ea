// SPDX-License-Identifier: Apache-2.0

/// The heartbeat of an idle event stream, by which clients detect a daemon that hangs.
///
/// The response head declares the interval of heartbeats. Clients close the connection after
/// several intervals without data. A daemon that does not declare an interval sends no heartbeats.
package enum DaemonHeartbeat {
  /// The header field with the interval in whole seconds.
  package static let field = "Fixcast-Heartbeat"
  /// A comment, which parsers of server-sent events ignore.
  package static let bytes = Array(":\n\n".utf8)

  /// Parses the value of the header field.
  ///
  /// - Parameter text: The value; `nil` if the field is missing.
  /// - Returns: The interval in seconds, 1 to 3600; `nil` if the value is missing or invalid.
  package static func seconds(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { (1...3600).contains($0) ? $0 : nil }
  }
}
