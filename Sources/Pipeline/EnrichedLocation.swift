// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Data that a stage adds to a location, such as a place or weather.
public protocol Enrichment: Sendable {}

/// A location with the data that the stages have added so far.
///
/// The data describe this location, even if a newer location has arrived in the meantime.
public struct EnrichedLocation: Sendable {
  /// The location.
  public let location: Location
  /// The location's sequence number, as in ``LocationEvent``; `nil` if unknown.
  public internal(set) var number: UInt64?
  private var enrichments: [any Enrichment] = []

  /// Creates a location without enrichments.
  public init(_ location: Location) { self.location = location }

  /// Adds an enrichment.
  public mutating func add(_ enrichment: some Enrichment) { enrichments.append(enrichment) }

  /// Returns the latest enrichment of the given type, or `nil` if no stage added one.
  public func enrichment<Kind: Enrichment>(of type: Kind.Type) -> Kind? {
    enrichments.lazy.reversed().compactMap { $0 as? Kind }.first
  }
}
