// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// A request that waits for an operator.
package struct PendingRequest: Hashable, Codable, Sendable {
  /// Its number in the store.
  package var id: UInt64
  package var selector: ClientSelector
  /// What is asked for; where it is full accuracy, of no meaning.
  package var request: AuthorizationRequest
  /// For which of its purposes a program of reduced accuracy asks for full accuracy for a while;
  /// `nil` where authorization is asked for.
  package var fullAccuracyPurposeKey: String?
  package var purpose: String
  package var created: BootTimestamp
  /// The programs that wait for the answer; the request goes with the last of them.
  package var processes: [ProcessToken]

  /// The words of the command that grants it.
  package var answer: [String] {
    ["fixcast", "auth", "allow"] + selector.words
      + (fullAccuracyPurposeKey != nil
        ? ["--full", "--for", "10m"] : request == .always ? ["--always"] : [])
  }

  package var summary: String {
    fullAccuracyPurposeKey != nil
      ? "full accuracy for a while" : request == .always ? "at any time" : "while in use"
  }
}
