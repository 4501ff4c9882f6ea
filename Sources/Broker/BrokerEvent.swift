// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What the daemon gives the broker to tell those who may know.
public enum BrokerEvent: Equatable, Sendable {
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The satellites; for full accuracy alone.
  case sky(SkyView)
  /// Nothing comes any more, from one receiver or from the whole source of that name.
  case lost(SourceLoss, source: String)
  /// Any other object of the command line's output.
  case object(BrokerObject)
}

/// An object that the daemon has written itself, and whom it is for.
public struct BrokerObject: Equatable, Sendable {
  /// Who may read it.
  public enum Audience: Equatable, Sendable {
    /// Whoever may know where the board is, precisely or not: it says nothing of where.
    case authorized
    /// Whoever may know precisely.
    case fullAccuracy
    /// Whoever may know this cell of the grid and no more, as the weather at its middle.
    case cell(Coordinate)
  }

  /// Its class, such as `WEATHER`.
  public var name: String
  /// The object, compact, without or with a newline at its end.
  public var json: [UInt8]
  /// Who may read it.
  public var audience: Audience
  /// What the newest is kept under for clients that come later; `nil` for what is news only.
  public var keptAs: String?

  /// Makes an object.
  ///
  /// - Parameters:
  ///   - name: Its class.
  ///   - json: The object.
  ///   - audience: Who may read it.
  ///   - keptAs: What the newest is kept under.
  public init(name: String, json: [UInt8], for audience: Audience, keptAs: String? = nil) {
    self.name = name
    self.json = json
    self.audience = audience
    self.keptAs = keptAs
  }
}
