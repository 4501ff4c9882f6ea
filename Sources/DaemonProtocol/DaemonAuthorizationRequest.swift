// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// To be allowed more, as the body of `POST /v1/authorization`.
///
///     {"request":"whenInUse","purpose":"show the way home","timeout":30}
///     {"request":"temporaryFull","purpose":"rescue"}
public struct DaemonAuthorizationRequest: Hashable, Sendable {
  /// What is asked for.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// To know while the program is in use.
    case whenInUse
    /// To know at any time.
    case always
    /// Full accuracy for a while, where it is reduced; the purpose is then its key.
    case temporaryFull
  }

  /// What is asked for.
  public var kind: Kind
  /// What for; never empty.
  public var purpose: String
  /// How long the answer is waited for, in seconds; 0 says at once what holds.
  public var timeoutSeconds: Int

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - kind: What is asked for.
  ///   - purpose: What for.
  ///   - timeoutSeconds: How long the answer is waited for.
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

  /// Reads a request; fields that are not known are passed over.
  ///
  /// - Parameter json: The body.
  /// - Throws: ``DaemonFault`` that says what is missing.
  public init(json: [UInt8]) throws(DaemonFault) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else {
      throw .malformed(
        #"the body must be such as {"request":"whenInUse","purpose":"show the way"}"#)
    }
    guard let kind = Kind(rawValue: body.request) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .malformed("request takes one of: \(known)")
    }
    guard let purpose = try DaemonRequest.text(body.purpose, "purpose") else {
      throw .malformed("say in \"purpose\" what the location is for; whoever decides reads it")
    }
    let timeout = body.timeout ?? 0
    guard (0...DaemonRequest.maxTimeoutSeconds).contains(timeout) else {
      throw .malformed("timeout takes 0 to \(DaemonRequest.maxTimeoutSeconds) seconds")
    }
    self.init(kind, purpose: purpose, timeoutSeconds: timeout)
  }

  /// The request as it is sent.
  public var json: [UInt8] {
    let body = Body(
      request: kind.rawValue, purpose: purpose, timeout: timeoutSeconds > 0 ? timeoutSeconds : nil)
    return (try? JSONEncoder().encode(body)).map { Array($0) } ?? []
  }
}
