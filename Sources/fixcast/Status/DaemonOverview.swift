// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the daemon says of itself, as far as it is shown to people.
struct DaemonOverview: Decodable {
  @Lenient var release: String?
  @Lenient var uptimeSeconds: Double?
  /// Why the daemon itself may not know where the board is, such as `denied`; `nil` where it may.
  @Lenient var authorization: String?
  @Lenient var source: Part?
  @Lenient var plugins: [Part]?
  @Lenient var lookups: Lookups?
  @Lenient var weather: Weather?
  @Lenient var locations: Int?
  @Lenient var held: Int?
  @Lenient var path: Path?
  @Lenient var sinks: Sinks?
  @Lenient var configuration: Configuration?
  @Lenient var stateFault: String?
  @Lenient var lostLogLines: Int?
  @Lenient var lostAuditLines: Int?

  private enum CodingKeys: String, CodingKey {
    case release, authorization, source, plugins, lookups, weather, locations, held, path, sinks
    case configuration, stateFault, lostLogLines, lostAuditLines
    case uptimeSeconds = "uptime"
  }

  /// A source or a plugin.
  struct Part: Decodable {
    @Lenient var role: String?
    @Lenient var name: String?
    @Lenient var state: String?
    @Lenient var notices: [String]?
    @Lenient var fixAgeSeconds: Double?
    /// Told, as other counts and ages are, to those who may know where the board is.
    @Lenient var byteCount: Int?
    @Lenient var inCount: Int?
    @Lenient var outCount: Int?
    @Lenient var droppedCount: Int?
    @Lenient var errorCount: Int?
    @Lenient var lastError: String?
    @Lenient var errorAgeSeconds: Double?
    /// Since when it does not come back from a call.
    @Lenient var blockedAgeSeconds: Double?

    private enum CodingKeys: String, CodingKey {
      case role, name, state, notices, lastError
      case fixAgeSeconds = "fixAge"
      case byteCount = "bytes"
      case inCount = "in"
      case outCount = "out"
      case droppedCount = "dropped"
      case errorCount = "errors"
      case errorAgeSeconds = "errorAge"
      case blockedAgeSeconds = "blockedAge"
    }

    /// What a source is made of, each by its name: a port by the path that it is configured by.
    var members: [String] {
      (name ?? "").split(separator: ", ").map { member in
        // As it is called until it could be made.
        String(member.hasPrefix("serial:") ? member.dropFirst("serial:".count) : member)
      }
    }
  }

  struct Lookups: Decodable {
    @Lenient var asked: Int?
    @Lenient var answered: Int?
    @Lenient var failed: Int?
  }

  struct Weather: Decodable {
    @Lenient var provider: String?
    @Lenient var answerAgeSeconds: Double?
    @Lenient var lastError: String?
    @Lenient var errorAgeSeconds: Double?
    @Lenient var retryAfterSeconds: Double?
    @Lenient var held: String?
    /// Whether nobody is ever asked, since the configuration says so.
    @Lenient var isOff: Bool?

    private enum CodingKeys: String, CodingKey {
      case provider, lastError, held, isOff
      case answerAgeSeconds = "answerAge"
      case errorAgeSeconds = "errorAge"
      case retryAfterSeconds = "retryAfter"
    }
  }

  struct Path: Decodable {
    @Lenient var status: String?
    @Lenient var reason: String?
  }

  struct Configuration: Decodable {
    /// `nil` where they are not for whoever asks.
    @Lenient var files: [String]?
    @Lenient var ageSeconds: Double?
    @Lenient var wrong: [String]?
    /// Said where what is wrong is not for whoever asks.
    @Lenient private var isSaidBroken: Bool?

    var isBroken: Bool { isSaidBroken ?? !(wrong ?? []).isEmpty }

    private enum CodingKeys: String, CodingKey {
      case files, wrong
      case ageSeconds = "age"
      case isSaidBroken = "isBroken"
    }
  }

  /// What is kept from the daemon's sinks, by what the daemon itself may know.
  struct Sinks: Decodable {
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

  /// Reads what the daemon says.
  ///
  /// - Parameter json: An object; `nil` is the result for anything else.
  init?(json: [UInt8]) {
    guard let overview = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = overview
  }
}
