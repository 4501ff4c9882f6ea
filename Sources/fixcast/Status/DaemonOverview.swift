// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the daemon says of itself, as far as it is shown to people.
///
/// A daemon of another version may leave anything out, add more, or mean something else by a key:
/// what is not understood is unknown.
struct DaemonOverview: Equatable {
  var release: String?
  var uptimeSeconds: Double?
  /// Why the daemon itself may not know where the board is, such as `denied`; `nil` where it may.
  var authorization: String?
  var source: Part?
  var plugins: [Part] = []
  var lookups = Lookups()
  var weather: Weather?
  var locations: Int?
  var held: Int?
  var path: Path?
  var sinks: Sinks?
  var configuration = Configuration()
  var stateFault: String?
  var lostLogLines: Int?
  var lostAuditLines: Int?

  /// A source or a plugin.
  struct Part: Equatable {
    var role: String?
    var name: String?
    var state: String?
    var notices: [String] = []
    /// What a source is made of, each by its name: a port by the path that it is configured by.
    var members: [String] {
      (name ?? "").split(separator: ", ").map { member in
        // As it is called until it could be made.
        String(member.hasPrefix("serial:") ? member.dropFirst("serial:".count) : member)
      }
    }
    var fixAgeSeconds: Double?
    /// Whether counts and ages are told, as they are to those who may know where the board is.
    var isCounted: Bool { byteCount != nil }
    var byteCount: Int?
    var inCount: Int?
    var outCount: Int?
    var droppedCount: Int?
    var errorCount: Int?
    var restartCount: Int?
    var lastError: String?
    var errorAgeSeconds: Double?
    /// Since when it does not come back from a call.
    var blockedAgeSeconds: Double?
  }

  struct Lookups: Equatable {
    var asked: Int?
    var answered: Int?
    var failed: Int?
  }

  struct Weather: Equatable {
    var provider: String?
    var answerAgeSeconds: Double?
    var lastError: String?
    var errorAgeSeconds: Double?
    var retryAfterSeconds: Double?
    var held: String?
    /// Whether nobody is ever asked, since the configuration says so.
    var isOff = false
  }

  struct Path: Equatable {
    var status: String?
    var reason: String?
  }

  struct Configuration: Equatable {
    /// `nil` where they are not for whoever asks.
    var files: [String]?
    var ageSeconds: Double?
    var wrong: [String] = []
    /// Whether anything is wrong, where what it is is not for whoever asks.
    var isBroken = false
  }

  /// Reads what the daemon says.
  ///
  /// - Parameter json: An object; `nil` is the result for anything else.
  init?(json: [UInt8]) {
    guard let overview = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = overview
  }
}

/// A key of any name.
private struct Key: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<Key> {
  /// The value of a key; `nil` where there is none of that type.
  fileprivate func value<Value: Decodable>(_ name: String) -> Value? {
    try? decodeIfPresent(Value.self, forKey: Key(name))
  }
}

extension DaemonOverview: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    release = values.value("release")
    uptimeSeconds = values.value("uptime")
    authorization = values.value("authorization")
    source = values.value("source")
    plugins = values.value("plugins") ?? []
    lookups = values.value("lookups") ?? Lookups()
    weather = values.value("weather")
    locations = values.value("locations")
    held = values.value("held")
    path = values.value("path")
    sinks = values.value("sinks")
    configuration = values.value("configuration") ?? Configuration()
    stateFault = values.value("stateFault")
    lostLogLines = values.value("lostLogLines")
    lostAuditLines = values.value("lostAuditLines")
  }
}

extension DaemonOverview.Part: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    role = values.value("role")
    name = values.value("name")
    state = values.value("state")
    notices = values.value("notices") ?? []
    fixAgeSeconds = values.value("fixAge")
    byteCount = values.value("bytes")
    inCount = values.value("in")
    outCount = values.value("out")
    droppedCount = values.value("dropped")
    errorCount = values.value("errors")
    restartCount = values.value("restarts")
    lastError = values.value("lastError")
    errorAgeSeconds = values.value("errorAge")
    blockedAgeSeconds = values.value("blockedAge")
  }
}

extension DaemonOverview.Lookups: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    asked = values.value("asked")
    answered = values.value("answered")
    failed = values.value("failed")
  }
}

extension DaemonOverview.Weather: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    provider = values.value("provider")
    answerAgeSeconds = values.value("answerAge")
    lastError = values.value("lastError")
    errorAgeSeconds = values.value("errorAge")
    retryAfterSeconds = values.value("retryAfter")
    held = values.value("held")
    isOff = values.value("isOff") ?? false
  }
}

extension DaemonOverview.Path: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    status = values.value("status")
    reason = values.value("reason")
  }
}

extension DaemonOverview.Configuration: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    files = values.value("files")
    ageSeconds = values.value("age")
    wrong = values.value("wrong") ?? []
    isBroken = values.value("isBroken") ?? !wrong.isEmpty
  }
}

extension DaemonOverview {
  /// What is kept from the daemon's sinks, by what the daemon itself may know.
  struct Sinks: Equatable, Decodable {
    /// `nothing` or `reduced`.
    var get: String
    /// What it was told.
    var status: String?
    /// Which word decided.
    var by: String?
    /// The command or the file that changes it.
    var change: String?

    /// Labels and texts for people.
    var rows: [(String, String)] {
      let what = get == "reduced" ? "get reduced accuracy" : "get \(get)"
      var words = [what, status.map { "the daemon itself is \($0)" }].compactMap { $0 }
        .joined(separator: ": ")
      if let by { words += ", by \(by)" }
      return [("sinks", words)] + (change.map { [("", "change it: \($0)")] } ?? [])
    }
  }
}
