// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import Pipeline

/// A program that is run as a plugin, and how patient one is with it.
package struct ExecCommand: Equatable, Sendable {
  /// The program, by its path or by its name in `PATH`, and its arguments; no shell is asked.
  package var words: [String]
  /// Variables that it gets beside the few that are passed on.
  package var environment: [String: String] = [:]
  /// Files with more of them, a `NAME=value` a line: credentials' names, or absolute paths.
  package var environmentFiles: [String] = []
  /// Whether it says hello, and is told it; one that was written for something else does not.
  package var saysHello = true
  /// How long it may take to say which protocol it speaks, in seconds.
  package var helloSeconds = 10.0
  /// How long it may take over one location, in seconds; as a stage only.
  package var replySeconds = 10.0
  /// How long it may take to end after the end of its input, in seconds.
  package var closeSeconds = 2.0
  /// How long it may take to end after SIGTERM, in seconds; then it is killed.
  package var killSeconds = 2.5
  /// How long a line of it may be, in bytes.
  package var limitBytes = 65_536

  /// The protocol that is spoken with it.
  static let protocolVersion = 1

  package init(_ words: [String]) { self.words = words }

  /// The program's name, without the folder that it is in.
  var name: String {
    let path = words.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// All the variables that it gets but those that lie in files.
  ///
  /// What systemd gives to the service is not for it: whoever has `NOTIFY_SOCKET` can speak for the
  /// service, and `CREDENTIALS_DIRECTORY` leads to its secrets.
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
    "command", summary: "the program and its arguments; no shell is asked"
  ).example(.list([.string("/usr/local/bin/my-plugin"), .string("--quiet")]))
  private static let environment = SettingKey.secrets(
    "environment",
    summary: "variables beside the few that it gets, as NAME=value")
  private static let environmentFiles = SettingKey.credentials(
    "environment_files",
    summary: "files with more variables, a NAME=value a line, where a secret is well kept")
  /// The key that says how long the start of a sink may take.
  static let helloKey = "hello_seconds"
  /// The key that says how long a stage may take over one location.
  static let replyKey = "reply_seconds"
  /// The key that says whether there is a start to be waited for.
  static let greetingKey = "hello"
  private static let greeting = SettingKey.flag(
    greetingKey, default: true,
    summary: "whether it says which protocol it speaks; false for what was not made for fixcast")
  private static let helloSeconds = SettingKey.number(
    helloKey, in: 0.1...3600, default: 10,
    summary: "how long it may take to say which protocol it speaks")
  private static let replySeconds = SettingKey.number(
    replyKey, in: 0.1...3600, default: 10,
    summary: "how long it may take over one location")
  /// How long it may take to end in all, so that no stop of a pipeline cuts it short: half a second
  /// less than a sink is waited for, for what still waits before it then.
  static let maxEndSeconds = StopPolicy().drain / .seconds(1) - 0.5
  private static let killKey = "kill_seconds"
  private static let closeSeconds = SettingKey.number(
    "close_seconds", in: 0...maxEndSeconds, default: 2,
    summary: "how long it may take to end after the end of its input")
  private static let killSeconds = SettingKey.number(
    // A second less than it is waited for, so that it is killed before it is left to itself.
    killKey, in: 0...(StopPolicy().cancel / .seconds(1) - 1),
    summary: "how long it may take to end after SIGTERM, before it is killed; else 2.5, or what "
      + "close_seconds leaves of \(Text.fixed(maxEndSeconds, 1))"
  ).optional.example(.number(2.5))
  private static let limitBytes = SettingKey.count(
    "limit_bytes", in: 256...16_777_216, default: 65_536, summary: "how long its lines may be")

  /// The keys of a program that is a sink.
  static let sinkSettings = [
    command.declaration, environment.declaration, environmentFiles.declaration,
    greeting.declaration, helloSeconds.declaration,
    closeSeconds.declaration, killSeconds.declaration, limitBytes.declaration,
  ]
  /// The keys of a program that is a stage.
  static let stageSettings = sinkSettings + [replySeconds.declaration]

  /// Makes a command out of settings; looks for no program yet.
  init(_ settings: SettingsTable) throws(SettingsError) {
    self.init(try settings.value(of: Self.command))
    guard words.first?.isEmpty == false else {
      throw settings.error(.conflict("names no program"), in: "command")
    }
    for (number, text) in zip(1..., try settings.value(of: Self.environment)) {
      guard let (name, value) = Self.variable(text) else {
        // It may be a secret whose name was forgotten.
        let problem = "takes NAME=value, and its entry \(number) has no name before a ="
        throw settings.error(.conflict(problem), in: "environment")
      }
      environment[name] = value
    }
    environmentFiles = try settings.value(of: Self.environmentFiles)
    saysHello = try settings.value(of: Self.greeting)
    helloSeconds = try settings.value(of: Self.helloSeconds)
    if !saysHello, settings[Self.helloKey] != nil {
      throw settings.error(
        .conflict("says nothing where \(Self.greetingKey) = false; leave it out"),
        in: Self.helloKey)
    }
    replySeconds = try settings.value(of: Self.replySeconds)
    closeSeconds = try settings.value(of: Self.closeSeconds)
    let left = Self.maxEndSeconds - closeSeconds
    let killSeconds = try settings.value(of: Self.killSeconds)
    if let killSeconds, killSeconds > left {
      let most = Text.fixed(Self.maxEndSeconds, 1)
      throw settings.error(
        .conflict("and close_seconds are \(most) together at most; make one of them less"),
        in: Self.killKey)
    }
    self.killSeconds = killSeconds ?? min(self.killSeconds, left)
    limitBytes = try settings.value(of: Self.limitBytes)
  }
}
