// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Positioning

/// A fix of the daemon that may be the last known position instead of the current position.
public struct LastKnownFix: Equatable, Sendable {
  /// The fix, with its age; with reduced accuracy, there is no age.
  public var fix: Fix
  /// Whether the position is current.
  ///
  /// If false, the board may have moved since.
  public var isCurrent: Bool

  private struct Wire: Decodable { var last: Bool? }

  /// Creates a value.
  public init(_ fix: Fix, isCurrent: Bool) {
    self.fix = fix
    self.isCurrent = isCurrent
  }

  /// Decodes a `TPV` object with a position.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - now: The current time of this process's clock, from which ages are subtracted.
  /// - Throws: ``DaemonDecodingError`` for any other object.
  public init(json: [UInt8], now: MonotonicTime?) throws(DaemonDecodingError) {
    guard case .fix(let fix) = try DaemonEvent(json: json, now: now), fix.mode > .none else {
      throw DaemonDecodingError(what: String(decoding: json.prefix(200), as: UTF8.self))
    }
    let wire = try? JSONDecoder().decode(Wire.self, from: Data(json))
    self.init(fix, isCurrent: wire?.last != true)
  }
}
