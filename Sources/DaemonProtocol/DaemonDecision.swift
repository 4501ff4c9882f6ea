// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A decision about a request that waits: the body of `POST /v1/authorization/decision`.
///
///     {"request":"17","decision":"allow","hours":2}
public struct DaemonDecision: Hashable, Sendable {
  /// The possible decisions.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case allow
    /// Access with reduced accuracy.
    case allowReduced
    case deny
  }

  /// The identifier of the request, as listed by the daemon.
  public var request: String
  /// The decision.
  public var kind: Kind
  /// The number of hours until the decision expires; `nil` for never.
  public var hours: Double?

  /// The maximum number of hours: ten years of 365 days.
  public static let maxHours = 87_600.0

  private struct Body: Decodable {
    var request: String
    var decision: String
    var hours: Double?
  }

  /// Decodes the body of a request; unknown fields are ignored.
  ///
  /// - Throws: ``DaemonFault`` for an invalid body.
  public init(json: [UInt8]) throws(DaemonFault) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else {
      throw .malformed(#"invalid body; send e.g. {"request":"17","decision":"allow","hours":2}"#)
    }
    guard let kind = Kind(rawValue: body.decision) else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .malformed("decision takes one of: \(kinds)")
    }
    if let hours = body.hours, !(hours > 0 && hours <= Self.maxHours) {
      throw .malformed("hours takes a number above 0, at most \(Int(Self.maxHours))")
    }
    (request, self.kind, hours) = (body.request, kind, body.hours)
  }
}
