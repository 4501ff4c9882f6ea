// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A request for authorization: the body of `POST /v1/authorization`.
///
///     {"request":"whenInUse","purpose":"show the way home","timeout":30}
///     {"request":"temporaryFull","purpose":"rescue"}
public struct DaemonAuthorizationRequest: Hashable, Sendable {
  /// A kind of authorization.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Locations while the program is in use.
    case whenInUse
    /// Locations at any time.
    case always
    /// Temporary full accuracy for a program with reduced accuracy. `purpose` is the key of a
    /// purpose that the daemon's policy defines.
    case temporaryFull
  }

  /// The requested authorization.
  public var kind: Kind
  /// The reason for the request, shown to operators; never empty.
  public var purpose: String
  /// The time to wait for a decision, in seconds, at most ``DaemonRequest/maxTimeoutSeconds``.
  ///
  /// If 0, the daemon returns the current authorization at once.
  public var timeoutSeconds: Int

  /// Creates a request.
  public init(_ kind: Kind, purpose: String, timeoutSeconds: Int = 0) {
    self.kind = kind
    self.purpose = purpose
    self.timeoutSeconds = timeoutSeconds
  }

  private struct Body: Codable {
    var request: String
    var purpose: String?
    var timeout: Int?
  }

  /// Decodes the body of a request; unknown fields are ignored.
  ///
  /// - Throws: ``DaemonFault`` for an invalid body.
  public init(json: [UInt8]) throws(DaemonFault) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else {
      throw .malformed(
        #"invalid body; send e.g. {"request":"whenInUse","purpose":"show the way"}"#)
    }
    guard let kind = Kind(rawValue: body.request) else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .malformed("request takes one of: \(kinds)")
    }
    guard let purpose = try DaemonRequest.text(body.purpose, "purpose") else {
      throw .malformed("\"purpose\" is missing; set it to the reason, which the operator reads")
    }
    let timeout = body.timeout ?? 0
    guard (0...DaemonRequest.maxTimeoutSeconds).contains(timeout) else {
      throw .malformed("timeout takes 0 to \(DaemonRequest.maxTimeoutSeconds) seconds")
    }
    self.init(kind, purpose: purpose, timeoutSeconds: timeout)
  }

  /// The body as JSON.
  public var json: [UInt8] {
    let body = Body(
      request: kind.rawValue, purpose: purpose, timeout: timeoutSeconds > 0 ? timeoutSeconds : nil)
    return (try? JSONEncoder().encode(body)).map { Array($0) } ?? []
  }
}
