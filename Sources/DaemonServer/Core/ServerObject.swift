// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A JSON object that the daemon publishes, and its audience.
package struct ServerObject: Sendable {
  /// The clients that may read an object.
  package enum Audience: Equatable, Sendable {
    /// All authorized clients. The object does not reveal the location.
    case authorized
    /// Clients with full accuracy.
    case fullAccuracy
    /// Clients with reduced accuracy, while their location is the centre of this grid cell.
    case cell(Coordinate)
  }

  /// Whether an object is stored for streams that start later.
  package enum Keeping: Equatable, Sendable {
    /// The object is only sent to current streams.
    case none
    /// The object is stored until it expires or is replaced by an object with the same class,
    /// subject and audience.
    case newest(subject: String?)
    /// The object is only sent to current streams, and ends the stored object with the same class
    /// and subject.
    case last(subject: String?)
  }

  /// The class, such as `WEATHER`.
  package var name: String
  package var audience: Audience
  package var keeping: Keeping
  /// Whether the object is sent to current streams.
  ///
  /// If false, the object only replaces the stored object, for example to update the time of a
  /// report that was already sent to current streams.
  package var isBroadcast: Bool
  /// Whether the object is only sent in response to a request, and never on a stream.
  package var isOnRequest = false
  private let write: @Sendable (MonotonicTime) -> [UInt8]?

  /// Creates an object with constant content.
  package init(
    name: String, json: [UInt8], for audience: Audience, keeping: Keeping = .none
  ) {
    self.init(name: name, for: audience, keeping: keeping) { _ in json }
  }

  /// Creates an object whose content depends on the time, for example because the object contains
  /// its age.
  ///
  /// - Parameters:
  ///   - name: The class.
  ///   - audience: The clients that may read the object.
  ///   - keeping: Whether the object is stored for streams that start later.
  ///   - isBroadcast: Whether the object is sent to current streams.
  ///   - write: Encodes the object at a monotonic time; returns `nil` after the object has expired.
  package init(
    name: String, for audience: Audience, keeping: Keeping, isBroadcast: Bool = true,
    write: @escaping @Sendable (MonotonicTime) -> [UInt8]?
  ) {
    self.name = name
    self.audience = audience
    self.keeping = keeping
    self.isBroadcast = isBroadcast
    self.write = write
  }

  /// Returns whether a client may read the object; `cell` is the current location with reduced
  /// accuracy.
  func isReadable(_ access: ServerClient.Access, in cell: Coordinate?) -> Bool {
    switch (audience, access) {
    case (_, .nothing): false
    case (.authorized, _): true
    case (.fullAccuracy, .full): true
    case (.cell(let coordinate), .reduced): coordinate == cell
    case (.fullAccuracy, .reduced), (.cell, .full): false
    }
  }

  /// Returns the object as compact JSON; `nil` if it has expired.
  package func json(at now: MonotonicTime) -> [UInt8]? { write(now) }
}
