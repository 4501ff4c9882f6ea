// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices

extension DaemonRequest {
  /// The request with its words for people as the daemon takes them.
  ///
  /// A program may have made them of anything, such as the name of a place, and must not lose its
  /// locations by it. What names something, such as a purpose of full accuracy, is left as it is.
  var plain: DaemonRequest {
    var plain = self
    plain.purpose = purpose.flatMap(Self.plain)
    // Begun it is without a reason too.
    plain.activity = activity.map { Self.plain($0) ?? Self.none }
    if case .authorization(var asked) = subject, asked.kind != .temporaryFull {
      asked.purpose = Self.plain(asked.purpose) ?? Self.none
      plain.subject = .authorization(asked)
    }
    return plain
  }

  private static let none = "none given"

  private static func plain(_ text: String) -> String? {
    let plain = ProgramWords.plain(text, maxBytes: maxTextBytes)
    return plain.isEmpty ? nil : plain
  }
}
