// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Positioning

/// What a stage found out about a location.
public protocol Enrichment: Sendable {}

/// A location together with what the stages so far found out about it.
///
/// What was found belongs to this location, however late it was found.
public struct EnrichedLocation: Sendable {
  /// The location.
  public let location: Location
  /// Which of the pipeline's locations it is, as in ``LocationEvent``; `nil` where not known.
  public internal(set) var number: UInt64?
  private var enrichments: [any Enrichment] = []

  /// Makes a location about which nothing has been found out.
  public init(_ location: Location) { self.location = location }

  /// Adds what was found.
  public mutating func add(_ enrichment: some Enrichment) { enrichments.append(enrichment) }

  /// What was found of one kind.
  ///
  /// - Parameter type: The kind.
  /// - Returns: The latest; `nil` where no stage found any.
  public func found<Kind: Enrichment>(_ type: Kind.Type) -> Kind? {
    enrichments.lazy.reversed().compactMap { $0 as? Kind }.first
  }
}
