// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices

extension DaemonRequest {
  /// The request with its texts shortened and cleaned, so that the daemon accepts them.
  ///
  /// Programs may build these texts from any data, such as the name of a place, and should not be
  /// rejected because of them. Purpose keys of full accuracy are not changed.
  var sanitized: DaemonRequest {
    var result = self
    result.purpose = purpose.flatMap(Self.sanitized)
    // An activity counts even without a reason.
    result.activity = activity.map { Self.sanitized($0) ?? Self.none }
    if case .authorization(var request) = subject, request.kind != .temporaryFull {
      request.purpose = Self.sanitized(request.purpose) ?? Self.none
      result.subject = .authorization(request)
    }
    return result
  }

  private static let none = "none given"

  private static func sanitized(_ text: String) -> String? {
    let result = UntrustedText.plain(text, maxBytes: maxTextBytes)
    return result.isEmpty ? nil : result
  }
}
