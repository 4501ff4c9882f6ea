// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// A request to the daemon, with its HTTP encoding.
public struct DaemonRequest: Hashable, Sendable {
  /// The resource that is requested.
  public enum Subject: Hashable, Sendable {
    /// The daemon's status: `GET /v1/status`.
    case status
    /// The daemon's status as metrics for Prometheus: `GET /metrics`.
    case metrics
    /// One location: `GET /v1/location`.
    ///
    /// If there is no current location, the last known location is returned if it is at most
    /// `maxAgeSeconds` old; otherwise, or if this is `nil`, the request waits for a location.
    case location(timeoutSeconds: Int, maxAgeSeconds: Int? = nil)
    /// A stream of all events, until either side closes the connection: `GET /v1/events`.
    case events
    /// A request for authorization: `POST /v1/authorization`.
    case authorization(DaemonAuthorizationRequest)
    /// A value that is returned at once: `GET` of its path.
    case value(DaemonValue)
    /// A decision about a request that waits: `POST /v1/authorization/decision`.
    case decision(DaemonDecision)
    /// A link that opens the status page: `POST /v1/web/link`.
    case webLink
    /// The sessions of the status page: `GET /v1/web/sessions`.
    case webSessions
    /// The end of one session of the status page, or of all: `POST /v1/web/end`.
    case webEnd(session: UInt64?)
  }

  /// The resource that is requested.
  public var subject: Subject
  /// The reason why the program needs locations; shown to operators.
  ///
  /// A request for a location or a stream that has a purpose also requests authorization while in
  /// use, if the authorization is not determined.
  public var purpose: String?
  /// Whether a stream includes locations.
  ///
  /// If false, the stream contains only the program's authorization, and the program is not treated
  /// as using locations.
  public var includesLocations = true
  /// Whether a request for a location waits for an operator's decision.
  ///
  /// If false, the daemon refuses a request of a client without a decision at once, with the
  /// command that grants access.
  public var waitsForDecision = true
  /// Whether a stream also lists the requests that wait, and numbers its events.
  public var isPage = false
  /// The activity of the program while the connection is open.
  ///
  /// If set, the program is treated as in use during that time.
  public var activity: String?

  /// Creates a request.
  public init(
    _ subject: Subject, purpose: String? = nil, activity: String? = nil
  ) {
    self.subject = subject
    self.purpose = purpose
    self.activity = activity
  }

  /// Whether the request decides about other programs.
  package var isDecision: Bool { if case .decision = subject { true } else { false } }

  /// Whether the rate of these requests is limited, because the daemon does more work for them.
  package var isLimited: Bool {
    switch subject {
    case .status, .metrics, .value(.places): true
    case .location, .events, .authorization, .value, .decision, .webLink, .webSessions,
      .webEnd:
      false
    }
  }

  /// The path of the metrics, which is the default of Prometheus.
  package static let metricsPath = "/metrics"
  /// The default timeout of a request for a location or an authorization, in seconds.
  public static let defaultTimeoutSeconds = 30
  /// The maximum timeout of a request, in seconds.
  public static let maxTimeoutSeconds = 3600
  /// The maximum age in seconds that a request for the last known location can specify.
  public static let maxAgeLimitSeconds = 1_000_000_000
  /// Maximum length of a text in a request, in bytes.
  public static let maxTextBytes = 512

  // MARK: Decoding

  /// Decodes a request.
  ///
  /// Unknown query parameters are ignored, so that an older daemon accepts newer clients.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - target: The path with its query.
  ///   - body: The body.
  /// - Throws: ``DaemonFault`` for an invalid request.
  public init(method: String, target: String, body: [UInt8] = []) throws(DaemonFault) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = try Self.query(parts.count > 1 ? parts[1] : "")
    let value = DaemonValue(rawValue: String(parts[0]))
    switch (method, parts[0]) {
    case ("GET", _) where value != nil: subject = .value(value ?? .page)
    case ("GET", "/v1/status"): subject = .status
    case ("GET", Self.metricsPath): subject = .metrics
    case ("GET", "/v1/events"): subject = .events
    case ("GET", "/v1/location"):
      subject = .location(
        timeoutSeconds: try Self.seconds(query["timeout"], "timeout", upTo: Self.maxTimeoutSeconds)
          ?? Self.defaultTimeoutSeconds,
        maxAgeSeconds: try Self.seconds(query["maxAge"], "maxAge", upTo: Self.maxAgeLimitSeconds))
      waitsForDecision = query["timeout"] != nil
    case ("POST", "/v1/authorization"):
      subject = .authorization(try DaemonAuthorizationRequest(json: body))
    case ("POST", "/v1/authorization/decision"):
      subject = .decision(try DaemonDecision(json: body))
    case ("POST", "/v1/web/link"): subject = .webLink
    case ("GET", "/v1/web/sessions"): subject = .webSessions
    case ("POST", "/v1/web/end"): subject = .webEnd(session: try EndedSessions.session(json: body))
    case (_, "/v1/status"), (_, "/v1/events"), (_, "/v1/location"), (_, Self.metricsPath),
      (_, "/v1/web/sessions"):
      throw .method("GET")
    case (_, "/v1/authorization"): throw .method("GET or POST")
    case (_, "/v1/authorization/decision"), (_, "/v1/web/link"), (_, "/v1/web/end"):
      throw .method("POST")
    default: throw value == nil ? .notFound : .method("GET")
    }
    purpose = try Self.text(query["purpose"], "purpose")
    activity = try Self.text(query["activity"], "activity")
    isPage = query["page"] == "1"
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

  private static func seconds(
    _ text: String?, _ name: String, upTo limit: Int
  ) throws(DaemonFault) -> Int? {
    guard let text else { return nil }
    guard let seconds = Int(text), (1...limit).contains(seconds) else {
      throw .malformed("\(name) takes 1 to \(limit) seconds")
    }
    return seconds
  }

  static func text(_ text: String?, _ name: String) throws(DaemonFault) -> String? {
    guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
    guard text.utf8.count <= maxTextBytes else {
      throw .malformed("\(name) takes at most \(maxTextBytes) bytes")
    }
    // The text is shown to operators on a terminal, so it must not contain characters that mislead
    // them.
    guard !UntrustedText.misleads(text) else {
      throw .malformed(
        "\(name) takes one line of text, without control characters and direction marks")
    }
    return text
  }

  // MARK: Encoding

  /// The HTTP method.
  public var method: String {
    switch subject {
    case .authorization, .decision, .webLink, .webEnd: "POST"
    case .status, .metrics, .location, .events, .value, .webSessions: "GET"
    }
  }

  /// The path with its query.
  public var target: String {
    var fields: [(String, String)] = []
    let path =
      switch subject {
      case .status: "/v1/status"
      case .metrics: Self.metricsPath
      case .location: "/v1/location"
      case .events: "/v1/events"
      case .authorization: "/v1/authorization"
      case .value(let value): value.rawValue
      case .decision: "/v1/authorization/decision"
      case .webLink: "/v1/web/link"
      case .webSessions: "/v1/web/sessions"
      case .webEnd: "/v1/web/end"
      }
    if case .location(let seconds, let maxAge) = subject {
      fields.append(("timeout", "\(seconds)"))
      if let maxAge { fields.append(("maxAge", "\(maxAge)")) }
    }
    if case .events = subject, !includesLocations { fields.append(("locations", "no")) }
    if isPage { fields.append(("page", "1")) }
    for (name, value) in [("purpose", purpose), ("activity", activity)] {
      if let value { fields.append((name, PercentEncoding.encoded(value))) }
    }
    let query = fields.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }

  /// The body; empty for a GET request.
  public var body: [UInt8] {
    switch subject {
    case .authorization(let request): request.json
    case .webEnd(let session?): Array("{\"session\":\(session)}".utf8)
    case .webLink, .webEnd: Array("{}".utf8)
    case .status, .metrics, .location, .events, .value, .decision, .webSessions: []
    }
  }
}
