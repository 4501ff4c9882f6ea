// SPDX-License-Identifier: Apache-2.0

public import SystemSupport

/// A request that waits for an operator.
public struct PendingRequest: Hashable, Codable, Sendable {
  /// Its number in the store.
  public var id: UInt64
  /// Who asks.
  public var selector: ClientSelector
  /// What is asked for; where it is full accuracy, of no meaning.
  public var request: AuthorizationRequest
  /// For which of its purposes a program of reduced accuracy asks for full accuracy for a while;
  /// `nil` where authorization is asked for.
  public var fullAccuracyPurposeKey: String?
  /// What for, in the program's words.
  public var purpose: String
  /// When it was first asked.
  public var created: BoardTime
  /// The programs that wait for the answer; the request goes with the last of them.
  public var processes: [ProcessToken]

  /// The words of the command that grants it.
  public var answer: [String] {
    ["fixcast", "auth", "allow"] + selector.words
      + (fullAccuracyPurposeKey != nil
        ? ["--full", "--for", "10m"] : request == .always ? ["--always"] : [])
  }

  /// What is asked for, in words.
  public var summary: String {
    fullAccuracyPurposeKey != nil
      ? "full accuracy for a while" : request == .always ? "at any time" : "while in use"
  }
}
