// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a plugin, in a way that says what to do about it.
///
/// A plugin may throw any error; one that is not of this type counts as transient.
public struct PluginError: Error, Equatable, Hashable, Sendable, CustomStringConvertible {
  /// What becomes of the plugin.
  public enum Kind: Equatable, Hashable, Sendable {
    /// It may work later: the plugin is started again, not before `retryAfter` where that is known.
    case transient(retryAfter: Duration? = nil)
    /// It will never work again as things are: the plugin is left out.
    case permanent
    /// This board, kernel or build cannot do it: the plugin is left out.
    case unsupported
    /// The settings are wrong: the plugin is left out until they change.
    case configuration
  }

  /// What becomes of the plugin.
  public var kind: Kind
  /// What was being done, with the name of what it was done to.
  public var what: String
  /// Why it failed, in a sentence.
  public var why: String

  /// Makes an error.
  public init(_ kind: Kind, _ what: String, why: String) {
    self.kind = kind
    self.what = what
    self.why = why
  }

  /// Takes any error for what it says; one of another type is transient.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - what: What was being done, where the error does not say it.
  public init(_ error: any Error, during what: String) {
    self = error as? PluginError ?? PluginError(.transient(), what, why: "\(error)")
  }

  /// Whether the plugin may work later.
  public var isTransient: Bool {
    if case .transient = kind { true } else { false }
  }

  /// How long to leave it alone at least, where whoever refused has said so.
  public var retryAfter: Duration? {
    if case .transient(let delay) = kind { delay } else { nil }
  }

  /// The error in a sentence.
  public var description: String {
    let word: String? =
      switch kind {
      case .transient, .permanent: nil
      case .unsupported: "not supported here"
      case .configuration: "wrong settings"
      }
    return [what, word, why].compactMap { $0?.isEmpty == false ? $0 : nil }
      .joined(separator: ": ")
  }
}
