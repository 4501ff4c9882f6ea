// SPDX-License-Identifier: Apache-2.0

/// A text that is written nowhere: a provider's key, a password.
public struct Secret: Hashable, Sendable {
  /// The text itself, for who has to send it.
  public let exposed: String

  /// Wraps a text.
  ///
  /// - Parameter exposed: The text.
  public init(_ exposed: String) { self.exposed = exposed }

  /// What is written in its place.
  public static let mask = "(secret)"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The mask.
  public var description: String { Self.mask }
  /// The mask.
  public var debugDescription: String { Self.mask }
  /// Nothing that could be dumped.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
