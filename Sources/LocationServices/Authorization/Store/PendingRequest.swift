// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// A request that waits for an operator.
package struct PendingRequest: Hashable, Codable, Sendable {
  /// The number in the store.
  package var id: UInt64
  package var selector: ClientSelector
  /// The requested authorization; has no meaning in a full-accuracy request.
  package var request: AuthorizationRequest
  /// The purpose of a full-accuracy request; `nil` for an authorization request.
  package var fullAccuracyPurposeKey: String?
  package var purpose: String
  package var created: BootTimestamp
  /// The programs that wait for the answer; the request is removed when the last of them ends.
  package var processes: [ProcessToken]

  /// Returns the command that grants the request, with the client in the notation of `words`.
  ///
  /// Without `duration`, such as `2h`, access is granted without limit, and temporary full accuracy for
  /// ten minutes.
  package func answer(
    _ words: (ClientSelector) -> [String], for duration: String? = nil
  ) -> [String] {
    let isFullAccuracy = fullAccuracyPurposeKey != nil
    let duration = duration ?? (isFullAccuracy ? "10m" : nil)
    return ["fixcast", "auth", "allow"] + words(selector)
      + (isFullAccuracy ? ["--full"] : request == .always ? ["--always"] : [])
      + (duration.map { ["--for", $0] } ?? [])
  }

  /// The requested access in words, such as `while in use`.
  package var summary: String {
    fullAccuracyPurposeKey != nil
      ? "temporary full accuracy" : request == .always ? "at any time" : "while in use"
  }
}
