// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Settings

extension ExecCommand {
  private static let command = SettingKey.list(
    "command", summary: "the program and its arguments; no shell is asked"
  ).example(.list([.string("/usr/local/bin/my-plugin"), .string("--quiet")]))
  private static let environment = SettingKey.list(
    "environment", default: [], summary: "variables beside the few that it gets, as NAME=value")
  private static let helloSeconds = SettingKey.number(
    "hello_seconds", in: 0.1...3600, default: 10,
    summary: "how long it may take to say which protocol it speaks")
  private static let replySeconds = SettingKey.number(
    "reply_seconds", in: 0.1...3600, default: 10,
    summary: "how long it may take over one location")
  private static let closeSeconds = SettingKey.number(
    "close_seconds", in: 0...(StopPolicy().drain / .seconds(1)), default: 2,
    summary: "how long it may take to end after the end of its input")
  private static let killSeconds = SettingKey.number(
    // A second less than it is waited for, so that it is killed before it is left to itself.
    "kill_seconds", in: 0...(StopPolicy().cancel / .seconds(1) - 1), default: 3,
    summary: "how long it may take to end after SIGTERM, before it is killed")
  private static let limitBytes = SettingKey.count(
    "limit_bytes", in: 256...16_777_216, default: 65_536, summary: "how long its lines may be")

  /// The keys of a program that is a sink.
  static let sinkSettings = [
    command.declaration, environment.declaration, helloSeconds.declaration,
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
    for variable in try settings.value(of: Self.environment) {
      let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw settings.error(.conflict("takes NAME=value, not \(variable)"), in: "environment")
      }
      environment[String(parts[0])] = String(parts[1])
    }
    helloSeconds = try settings.value(of: Self.helloSeconds)
    replySeconds = try settings.value(of: Self.replySeconds)
    closeSeconds = try settings.value(of: Self.closeSeconds)
    killSeconds = try settings.value(of: Self.killSeconds)
    limitBytes = try settings.value(of: Self.limitBytes)
  }
}
