// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import Pipeline

/// An external program that runs as a plugin, with its time limits.
package struct ExecCommand: Equatable, Sendable {
  /// The program, by path or by name in `PATH`, and its arguments; no shell is involved.
  package var words: [String]
  /// Environment variables in addition to the few inherited variables.
  package var environment: [String: String] = [:]
  /// Files with more variables, one `NAME=value` per line: names of credentials, or absolute paths.
  package var environmentFiles: [String] = []
  /// Whether the program and Fixcast exchange `HELLO` messages; false for programs not written for
  /// Fixcast.
  package var usesHandshake = true
  /// The time limit for receiving the program's `HELLO`, in seconds.
  package var helloSeconds = 10.0
  /// The time limit for the reply to one location, in seconds; used by stages only.
  package var replySeconds = 10.0
  /// The maximum time from the end of the program's input to its exit, in seconds.
  package var closeSeconds = 2.0
  /// The time between SIGTERM and SIGKILL, in seconds.
  package var killSeconds = 2.5
  /// The maximum length of an output line, in bytes.
  package var limitBytes = 65_536

  /// The protocol version that this Fixcast supports.
  static let protocolVersion = 1

  package init(_ words: [String]) { self.words = words }

  /// The program's file name, without its folder.
  var name: String {
    let path = words.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The program's environment variables, except those from files.
  ///
  /// Variables of systemd are not inherited: `NOTIFY_SOCKET` would let the program act as the
  /// service, and `CREDENTIALS_DIRECTORY` would reveal the service's secrets.
  var variables: [String: String] {
    var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables.merging(environment) { _, own in own }
  }
}

extension ExecCommand {
  private static let command = SettingKey.list(
    "command", summary: "program and arguments; run without a shell"
  ).example(.list([.string("/usr/local/bin/my-plugin"), .string("--quiet")]))
  private static let environment = SettingKey.secrets(
    "environment",
    summary: "additional environment variables without secrets, as NAME=value")
  private static let environmentFiles = SettingKey.credentials(
    "environment_files",
    summary: "files with additional variables, one NAME=value per line; suitable for secrets")
  /// The key with the time limit for the program's `HELLO`.
  static let helloKey = "hello_seconds"
  /// The key with the time limit for a stage's reply to one location.
  static let replyKey = "reply_seconds"
  /// The key for ``usesHandshake``.
  static let handshakeKey = "hello"
  private static let handshake = SettingKey.flag(
    handshakeKey, default: true,
    summary: "whether the program sends a HELLO; false for programs not written for fixcast")
  private static let helloSeconds = SettingKey.number(
    helloKey, in: 0.1...3600, default: 10,
    summary: "time limit for the program's HELLO")
  private static let replySeconds = SettingKey.number(
    replyKey, in: 0.1...3600, default: 10,
    summary: "time limit for the reply to one location")
  /// The maximum of `close_seconds` plus `kill_seconds`: `StopPolicy.drain` less half a second for
  /// sending the queued events to the program.
  static let maxEndSeconds = StopPolicy().drain / .seconds(1) - 0.5
  private static let killKey = "kill_seconds"
  private static let closeSeconds = SettingKey.number(
    "close_seconds", in: 0...maxEndSeconds, default: 2,
    summary: "time limit for the program's exit after the end of its input")
  private static let killSeconds = SettingKey.number(
    // One second less than `StopPolicy.cancel`, so that the program is killed before the plugin is
    // abandoned.
    killKey, in: 0...(StopPolicy().cancel / .seconds(1) - 1),
    summary: "time between SIGTERM and SIGKILL; default 2.5, or "
      + "\(Text.fixed(maxEndSeconds, 1)) minus close_seconds if that is less"
  ).optional.example(.number(2.5))
  private static let limitBytes = SettingKey.count(
    "limit_bytes", in: 256...16_777_216, default: 65_536, summary: "maximum output line length")

  /// The keys of a sink.
  static let sinkSettings = [
    command.declaration, environment.declaration, environmentFiles.declaration,
    handshake.declaration, helloSeconds.declaration,
    closeSeconds.declaration, killSeconds.declaration, limitBytes.declaration,
  ]
  /// The keys of a stage.
  static let stageSettings = sinkSettings + [replySeconds.declaration]

  /// Creates a command from settings; does not check whether the program exists.
  init(_ settings: SettingsTable) throws(SettingsError) {
    self.init(try settings.value(of: Self.command))
    guard words.first?.isEmpty == false else {
      throw settings.error(.conflict("must name a program"), in: "command")
    }
    for (number, text) in zip(1..., try settings.value(of: Self.environment)) {
      guard let (name, value) = Self.variable(text) else {
        // The entry may be a secret without a name, so it is not shown.
        let problem = "expected NAME=value, but entry \(number) has no name before ="
        throw settings.error(.conflict(problem), in: "environment")
      }
      environment[name] = value
    }
    environmentFiles = try settings.value(of: Self.environmentFiles)
    usesHandshake = try settings.value(of: Self.handshake)
    helloSeconds = try settings.value(of: Self.helloSeconds)
    if !usesHandshake, settings[Self.helloKey] != nil {
      throw settings.error(
        .conflict("has no effect with \(Self.handshakeKey) = false; remove it"),
        in: Self.helloKey)
    }
    replySeconds = try settings.value(of: Self.replySeconds)
    closeSeconds = try settings.value(of: Self.closeSeconds)
    let maxKillSeconds = Self.maxEndSeconds - closeSeconds
    let killSeconds = try settings.value(of: Self.killSeconds)
    if let killSeconds, killSeconds > maxKillSeconds {
      let limit = Text.fixed(Self.maxEndSeconds, 1)
      throw settings.error(
        .conflict("plus close_seconds must be at most \(limit); reduce one of them"),
        in: Self.killKey)
    }
    self.killSeconds = killSeconds ?? min(self.killSeconds, maxKillSeconds)
    limitBytes = try settings.value(of: Self.limitBytes)
  }
}
