// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Positioning
import Receivers

/// The part of the daemon's status report that is shown as text.
struct DaemonOverview: Decodable {
  @Lenient var release: String?
  @Lenient var uptimeSeconds: Double?
  /// The daemon's own authorization status, such as `denied`; `nil` if the daemon gets locations.
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
  @Lenient var clock: Clock?
  @Lenient var servers: [Server]?
  @Lenient var lostLogLines: Int?
  @Lenient var lostAuditLines: Int?

  private enum CodingKeys: String, CodingKey {
    case release, authorization, source, plugins, lookups, weather, locations, held, path, sinks
    case configuration, stateFault, clock, servers, lostLogLines, lostAuditLines
    case uptimeSeconds = "uptime"
  }

  /// A source or a plugin.
  struct Part: Decodable {
    @Lenient var role: String?
    @Lenient var name: String?
    @Lenient var state: String?
    /// The reason for the state; `nil` for a plugin that runs.
    @Lenient var reason: String?
    @Lenient var stateAgeSeconds: Double?
    @Lenient var notices: [String]?
    @Lenient var fixAgeSeconds: Double?
    /// Whether the fixes are from a recording.
    @Lenient var replayed: Bool?
    /// Whether the last fix is from sentences without a checksum.
    @Lenient var unchecked: Bool?
    /// Whether the last position is exactly 0° N, 0° E.
    @Lenient var zeroPosition: Bool?
    /// Like all counts and ages, reported only to clients that are authorized for the location.
    @Lenient var byteCount: Int?
    @Lenient var lines: Lines?
    /// The statements of receivers about themselves.
    @Lenient var messages: [Message]?
    @Lenient var inCount: Int?
    @Lenient var outCount: Int?
    @Lenient var droppedCount: Int?
    @Lenient var errorCount: Int?
    /// The events that wait for the plugin, or in it for their delivery.
    @Lenient var queueCount: Int?
    /// The events that the plugin collects for its next write.
    @Lenient var batchedCount: Int?
    /// The age of the oldest event that waits.
    @Lenient var oldestAgeSeconds: Double?
    @Lenient var lastError: String?
    @Lenient var errorAgeSeconds: Double?
    /// The time since the start of the call that currently blocks.
    @Lenient var blockedAgeSeconds: Double?
    /// The reason why an open source has no position.
    @Lenient var noFix: NoFix?

    private enum CodingKeys: String, CodingKey {
      case role, name, state, reason, notices, replayed, unchecked, zeroPosition, lastError
      case noFix, lines, messages
      case stateAgeSeconds = "stateAge"
      case fixAgeSeconds = "fixAge"
      case byteCount = "bytes"
      case inCount = "in"
      case outCount = "out"
      case droppedCount = "dropped"
      case errorCount = "errors"
      case queueCount = "queue"
      case batchedCount = "batched"
      case oldestAgeSeconds = "oldestAge"
      case errorAgeSeconds = "errorAge"
      case blockedAgeSeconds = "blockedAge"
    }

    /// The counts of the received lines; `nil` if they are not reported.
    var received: ReceivedLines? {
      lines?.received(bytes: byteCount.flatMap { UInt64(exactly: $0) } ?? 0)
    }

    /// The members of a combined source; a serial port is named by its configured path.
    var members: [String] {
      (name ?? "").split(separator: ", ").map { member in
        // The name has the prefix `serial:` until the port has been opened.
        String(member.hasPrefix("serial:") ? member.dropFirst("serial:".count) : member)
      }
    }
  }

  /// The error of the system clock.
  struct Clock: Decodable {
    @Lenient var ahead: Double?
    @Lenient var receiverSeconds: Int64?

    var error: SystemClockError? {
      ahead.map {
        SystemClockError(
          aheadSeconds: $0,
          receiverTime: receiverSeconds.map { UTCTime(secondsSince1970: $0) })
      }
    }
  }

  /// The daemon's ``NoFixExplanation``.
  struct NoFix: Decodable {
    @Lenient var source: String?
    @Lenient var input: String?
    @Lenient var reportsEpochs: Bool?
    @Lenient var seconds: Double?
    @Lenient var inView: Int?
    @Lenient var withSignal: Int?
    @Lenient var strong: Int?
    @Lenient var strongest: Double?
    @Lenient var triedBauds: [String]?
    @Lenient var readableBaud: Int?
    @Lenient var firstRefused: String?
    @Lenient var receiver: Message?

    /// The explanation; `nil` if a part is missing or has an unknown value.
    var explanation: NoFixExplanation? {
      guard let input = input.flatMap(LineInput.init), let seconds, let reportsEpochs else {
        return nil
      }
      var explanation = NoFixExplanation(
        source: source, input: input, reportsEpochs: reportsEpochs, seconds: seconds)
      if let inView, let withSignal, let strong {
        explanation.sky = SkySummary(
          inView: inView, withSignal: withSignal, strong: strong, strongestDBHz: strongest)
      }
      explanation.triedBauds = (triedBauds ?? []).compactMap { Int($0) }
      explanation.readableBaud = readableBaud
      explanation.firstRefused = firstRefused
      explanation.message = receiver?.message
      return explanation
    }
  }

  /// A statement of a receiver about itself.
  struct Message: Decodable {
    @Lenient var source: String?
    @Lenient var kind: String?
    @Lenient var antenna: String?
    @Lenient var text: String?
    @Lenient var age: Double?

    /// Whether the statement is about the antenna, or an error or a warning of the last hour.
    var isCurrent: Bool { antenna != nil || (age ?? 0) <= 3600 }

    /// The message; `nil` if its kind is unknown.
    var message: ReceiverMessage? {
      var message: ReceiverMessage
      if let antenna = antenna.flatMap(ReceiverMessage.Antenna.init) {
        message = ReceiverMessage(antenna: antenna)
      } else {
        guard let kind = kind.flatMap(ReceiverMessage.Kind.init), kind != .antenna else {
          return nil
        }
        message = ReceiverMessage(kind, text ?? "")
      }
      message.source = source
      return message
    }
  }

  /// The counts of the lines of serial receivers.
  struct Lines: Decodable {
    @Lenient var used: UInt64?
    @Lenient var unused: UInt64?
    @Lenient var refused: UInt64?
    @Lenient var wrongChecksum: UInt64?
    @Lenient var noChecksum: UInt64?
    @Lenient var cut: UInt64?
    @Lenient var other: UInt64?
    @Lenient var unchecked: UInt64?
    @Lenient var firstRefused: String?
    @Lenient var dataFormat: String?

    func received(bytes: UInt64) -> ReceivedLines {
      var lines = ReceivedLines()
      lines.bytes = bytes
      lines.uncheckedCount = unchecked ?? 0
      lines.firstRefused = firstRefused
      lines.dataFormat = dataFormat.flatMap(DataFormat.init)
      let counts: [(ReceivedLines.Result, UInt64?)] = [
        (.used, used), (.unused, unused), (.refused, refused), (.wrongChecksum, wrongChecksum),
        (.noChecksum, noChecksum), (.cut, cut), (.other, other),
      ]
      for (result, count) in counts { lines[result] = count ?? 0 }
      return lines
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
    /// The time since the first failure after the last reply.
    @Lenient var failingSeconds: Double?
    /// The command or the action that remedies the error.
    @Lenient var advice: String?
    @Lenient var retryAfterSeconds: Double?
    @Lenient var held: String?
    /// Whether the configuration turns the weather off.
    @Lenient var isOff: Bool?

    private enum CodingKeys: String, CodingKey {
      case provider, lastError, advice, held, isOff
      case answerAgeSeconds = "answerAge"
      case errorAgeSeconds = "errorAge"
      case failingSeconds = "failingFor"
      case retryAfterSeconds = "retryAfter"
    }
  }

  /// The server for clients of gpsd or of NMEA 0183.
  struct Server: Decodable {
    @Lenient var name: String?
    @Lenient var state: String?
    @Lenient var stateAgeSeconds: Double?
    @Lenient var listening: [String]?
    @Lenient var failures: [String]?
    @Lenient var clients: Int?
    @Lenient var refused: Int?
    @Lenient var dropped: Int?

    private enum CodingKeys: String, CodingKey {
      case name, state, listening, failures, clients, refused, dropped
      case stateAgeSeconds = "stateAge"
    }
  }

  struct Path: Decodable {
    @Lenient var status: String?
    @Lenient var reason: String?
  }

  struct Configuration: Decodable {
    /// The configuration files; `nil` if this client may not see them.
    @Lenient var files: [String]?
    @Lenient var ageSeconds: Double?
    @Lenient var wrong: [String]?
    /// The errors of files with secrets.
    @Lenient var secretErrors: [String]?
    /// Reported instead of `wrong` to a client that may not see the errors.
    @Lenient private var isReportedBroken: Bool?

    var isBroken: Bool { isReportedBroken ?? !(wrong ?? []).isEmpty }

    private enum CodingKeys: String, CodingKey {
      case files, wrong, secretErrors
      case ageSeconds = "age"
      case isReportedBroken = "isBroken"
    }
  }

  /// The restriction of the daemon's sinks, which results from the daemon's own authorization.
  struct Sinks: Decodable {
    /// The limit of the sinks: `nothing` for no locations, or `reduced` for reduced accuracy.
    var get: String
    /// The daemon's own authorization status.
    var status: String?
    /// The rule or answer that determines this status.
    var by: String?
    /// The command that changes this status, or the file to edit.
    var change: String?

    /// Labels and texts for the table.
    var rows: [(String, String)] {
      let restriction = get == "reduced" ? "get reduced accuracy" : "get \(get)"
      var text = [restriction, status.map { "the daemon itself is \($0)" }].compactMap { $0 }
        .joined(separator: ": ")
      if let by { text += ", by \(by)" }
      return [("sinks", text)] + (change.map { [("", "change it: \($0)")] } ?? [])
    }
  }

  /// Decodes the daemon's status; `nil` if it is not a JSON object.
  init?(json: [UInt8]) {
    guard let overview = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = overview
  }
}
