// SPDX-License-Identifier: Apache-2.0

/// What a stream carries where there has been nothing to tell for a while, so that a daemon that has
/// nothing to tell is told from one that hangs.
///
/// The head of the answer declares how often; whoever hears nothing for a few times as long gives the
/// connection up. An answer without the field is of a daemon that sends none.
package enum DaemonHeartbeat {
  /// The field of the head: whole seconds.
  package static let field = "Fixcast-Heartbeat"
  /// A comment, which readers of server-sent events pass over.
  package static let bytes = Array(":\n\n".utf8)

  /// Reads the field.
  ///
  /// - Parameter text: What stands in it; `nil` where it is missing.
  /// - Returns: Seconds, 1 to 3600; `nil` where none is declared.
  package static func seconds(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { (1...3600).contains($0) ? $0 : nil }
  }
}
