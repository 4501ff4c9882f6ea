// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// An object that the daemon writes itself, and whom it is for.
package struct ServerObject: Sendable {
  /// Who may read it.
  package enum Audience: Equatable, Sendable {
    /// Whoever may know where the board is, precisely or not: it says nothing of where.
    case authorized
    /// Whoever may know precisely.
    case fullAccuracy
    /// Whoever may know this cell of the grid and no more, as the weather at its middle.
    case cell(Coordinate)
  }

  /// For how long the newest is kept for clients that come later.
  package enum Keeping: Equatable, Sendable {
    /// It is news only.
    case none
    /// Until another of its class about the same subject and for the same readers comes, or it is
    /// over, and as long as there is something to be written of it.
    case newest(subject: String?)
  }

  /// Its class, such as `WEATHER`.
  package var name: String
  /// Who may read it.
  package var audience: Audience
  /// For how long it is kept.
  package var keeping: Keeping
  /// Whether those who are connected are told; else it is for clients that come later alone, in
  /// place of what says the same and was put together before.
  package var isNews: Bool
  private let write: @Sendable (MonotonicTime) -> [UInt8]?

  /// Makes an object that says the same whenever it is read.
  package init(
    name: String, json: [UInt8], for audience: Audience, keeping: Keeping = .none
  ) {
    self.init(name: name, for: audience, keeping: keeping) { _ in json }
  }

  /// Makes an object that says how old it is.
  ///
  /// - Parameters:
  ///   - name: Its class.
  ///   - audience: Who may read it.
  ///   - keeping: For how long it is kept.
  ///   - isNews: Whether those who are connected are told.
  ///   - write: Writes the object as it is at that reading of the clock that never jumps; `nil`
  ///     where it is too old to be told.
  package init(
    name: String, for audience: Audience, keeping: Keeping, isNews: Bool = true,
    write: @escaping @Sendable (MonotonicTime) -> [UInt8]?
  ) {
    self.name = name
    self.audience = audience
    self.keeping = keeping
    self.isNews = isNews
    self.write = write
  }

  /// The object as it is now.
  ///
  /// - Parameter now: The present reading of the clock that never jumps.
  /// - Returns: The object, compact; `nil` where it is too old to be told.
  package func json(at now: MonotonicTime) -> [UInt8]? { write(now) }
}
