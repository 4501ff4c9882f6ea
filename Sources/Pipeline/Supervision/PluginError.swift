// SPDX-License-Identifier: Apache-2.0

/// An error of a plugin, with a kind that determines whether the host restarts the plugin.
///
/// A plugin may also throw an error of another type, which the host treats as transient.
public struct PluginError: Error, Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The consequence of an error for the plugin.
  public enum Kind: Equatable, Hashable, Sendable {
    /// Temporary: the plugin is restarted, after at least `retryAfter` if it is not `nil`.
    case transient(retryAfter: Duration? = nil)
    /// Permanent: the plugin is not restarted.
    case permanent
    /// Not supported by this board, kernel or build: the plugin is not restarted.
    case unsupported
    /// Invalid settings: the plugin is not restarted until the settings change.
    case configuration
  }

  /// The consequence for the plugin.
  public var kind: Kind
  /// The failed operation or the affected object, such as a file or a command.
  public var what: String
  /// The reason for the failure.
  public var why: String

  /// Creates an error.
  public init(_ kind: Kind, _ what: String, why: String) {
    self.kind = kind
    self.what = what
    self.why = why
  }

  /// Converts any error; an error of another type becomes transient.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - what: The failed operation, used only for errors of another type.
  public init(_ error: any Error, during what: String) {
    self = error as? PluginError ?? PluginError(.transient(), what, why: "\(error)")
  }

  /// Whether the host may restart the plugin.
  public var isTransient: Bool {
    if case .transient = kind { true } else { false }
  }

  /// The minimum delay before a restart, if the error requests one.
  public var retryAfter: Duration? {
    if case .transient(let delay) = kind { delay } else { nil }
  }

  /// The error in one line.
  public var description: String {
    let label: String? =
      switch kind {
      case .transient, .permanent: nil
      case .unsupported: "not supported here"
      case .configuration: "wrong settings"
      }
    return [what, label, why].compactMap { $0?.isEmpty == false ? $0 : nil }
      .joined(separator: ": ")
  }
}
