// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices

extension DaemonRequest {
  /// The request with its texts shortened and cleaned, so that the daemon accepts them.
  ///
  /// Programs may build these texts from any data, for example the name of a town, and their
  /// requests should not be rejected because of such data. Purpose keys for full accuracy are not
  /// changed.
  var sanitized: DaemonRequest {
    var result = self
    result.purpose = purpose.flatMap(Self.sanitized)
    // A program has an activity even if the reason is empty, so keep the activity.
    result.activity = activity.map { Self.sanitized($0) ?? Self.placeholder }
    if case .authorization(var request) = subject, request.kind != .temporaryFull {
      request.purpose = Self.sanitized(request.purpose) ?? Self.placeholder
      result.subject = .authorization(request)
    }
    return result
  }

  private static let placeholder = "none given"

  private static func sanitized(_ text: String) -> String? {
    let result = UntrustedText.plain(text, maxBytes: maxTextBytes)
    return result.isEmpty ? nil : result
  }
}
