// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// What a client can ask the daemon for, and how that is spelled in HTTP.
public struct DaemonRequest: Hashable, Sendable {
  /// What is asked for.
  public enum Subject: Hashable, Sendable {
    /// How the daemon is: `GET /v1/status`.
    case status
    /// One location: `GET /v1/location`.
    case location(timeoutSeconds: Int)
    /// All that happens, until either side hangs up: `GET /v1/events`.
    case events
    /// To be allowed more: `POST /v1/authorization`.
    case authorization(DaemonAuthorizationRequest)
  }

  /// What is asked for.
  public var subject: Subject
  /// What the program wants to know for; where nobody has decided about it, to know while it is in
  /// use is asked for.
  public var purpose: String?
  /// Whether a stream tells where the board is; else it tells what the program may know and no more,
  /// which is no use of what it was granted.
  public var includesLocations = true
  /// What the program is busy with for as long as the connection lasts; it counts as in use then.
  public var activity: String?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - subject: What is asked for.
  ///   - purpose: What for.
  ///   - activity: What the program is busy with.
  public init(
    _ subject: Subject, purpose: String? = nil, activity: String? = nil
  ) {
    self.subject = subject
    self.purpose = purpose
    self.activity = activity
  }

  /// How long one location or an answer is waited for, where the client does not say, in seconds.
  public static let usualTimeoutSeconds = 30
  /// The longest wait that can be asked for, in seconds.
  public static let maxTimeoutSeconds = 3600
  /// The most bytes that a text of a request may have.
  public static let maxTextBytes = 512

  // MARK: Reading

  /// Reads a request.
  ///
  /// Parameters that are not known are passed over, so that a newer client can speak to an older
  /// daemon.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The path with its query.
  ///   - body: The body.
  /// - Throws: ``DaemonFault`` that says what to do.
  public init(method: String, target: String, body: [UInt8] = []) throws(DaemonFault) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = try Self.query(parts.count > 1 ? parts[1] : "")
    switch (method, parts[0]) {
    case ("GET", "/v1/status"): subject = .status
    case ("GET", "/v1/events"): subject = .events
    case ("GET", "/v1/location"):
      subject = .location(timeoutSeconds: try Self.timeout(query["timeout"]))
    case ("POST", "/v1/authorization"):
      subject = .authorization(try DaemonAuthorizationRequest(json: body))
    case (_, "/v1/status"), (_, "/v1/events"), (_, "/v1/location"): throw .method("GET")
    case (_, "/v1/authorization"): throw .method("POST")
    default: throw .notFound
    }
    purpose = try Self.text(query["purpose"], "purpose")
    activity = try Self.text(query["activity"], "activity")
    switch query["locations"] {
    case nil, "yes": break
    case "no": includesLocations = false
    default: throw .malformed("locations takes yes or no")
    }
  }

  private static func query(_ text: Substring) throws(DaemonFault) -> [String: String] {
    var values: [String: String] = [:]
    for field in text.split(separator: "&") {
      let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decoded(pair[0]),
        let value = PercentEncoding.decoded(pair.count > 1 ? pair[1] : "")
      else { throw .malformed("the query is not percent-encoded UTF-8") }
      values[name] = value
    }
    return values
  }

  private static func timeout(_ text: String?) throws(DaemonFault) -> Int {
    guard let text else { return usualTimeoutSeconds }
    guard let seconds = Int(text), (1...maxTimeoutSeconds).contains(seconds) else {
      throw .malformed("timeout takes 1 to \(maxTimeoutSeconds) seconds")
    }
    return seconds
  }

  static func text(_ text: String?, _ name: String) throws(DaemonFault) -> String? {
    guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
    guard text.utf8.count <= maxTextBytes else {
      throw .malformed("\(name) takes at most \(maxTextBytes) bytes")
    }
    // Whoever decides reads it, and a terminal shows it.
    guard !ProgramWords.misleads(text) else {
      throw .malformed(
        "\(name) takes one line of text, without control characters and marks of direction")
    }
    return text
  }

  // MARK: Writing

  /// The method.
  public var method: String { if case .authorization = subject { "POST" } else { "GET" } }

  /// The path with its query.
  public var target: String {
    var fields: [(String, String)] = []
    let path =
      switch subject {
      case .status: "/v1/status"
      case .location: "/v1/location"
      case .events: "/v1/events"
      case .authorization: "/v1/authorization"
      }
    if case .location(let seconds) = subject { fields.append(("timeout", "\(seconds)")) }
    if case .events = subject, !includesLocations { fields.append(("locations", "no")) }
    for (name, value) in [("purpose", purpose), ("activity", activity)] {
      if let value { fields.append((name, PercentEncoding.encoded(value))) }
    }
    let query = fields.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }

  /// The body; empty for what has none.
  public var body: [UInt8] {
    if case .authorization(let request) = subject { request.json } else { [] }
  }
}
