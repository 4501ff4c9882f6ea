// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// Decides when a program is considered to be running.
///
/// A program with a handshake is running when its `HELLO` has arrived. Other programs are running
/// as soon as they have been started.
struct ExecHandshake: Sendable {
  enum Event: Equatable, Sendable {
    /// The program was started.
    case started
    /// The program sent `HELLO` with this protocol version.
    case hello(Int)
    /// The time limit has expired.
    case timedOut
    /// The program has ended.
    case ended
  }

  enum Step: Equatable, Sendable {
    /// Send `HELLO` to the program.
    case sendHello
    /// The program is running.
    case run
    /// Reject the program, for this reason.
    case refuse(PluginError.Kind, String)
    /// Report how the program ended.
    case reportEnd
  }

  /// The program.
  let command: ExecCommand

  /// The time limit for receiving the program's `HELLO`; `nil` without a handshake.
  var timeLimit: Duration? { command.usesHandshake ? .seconds(command.helloSeconds) : nil }

  /// Handles an event and returns the next step.
  func handle(_ event: Event) -> Step {
    switch event {
    case .started: return command.usesHandshake ? .sendHello : .run
    case .hello(ExecCommand.protocolVersion): return .run
    case .hello(let version):
      return .refuse(
        .unsupported,
        "it speaks protocol \(version); this fixcast supports \(ExecCommand.protocolVersion)")
    case .timedOut:
      let seconds = Text.fixed(command.helloSeconds, 1)
      return .refuse(
        .transient(),
        "it sent no HELLO within \(seconds) s; its first line must be "
          + "{\"class\":\"HELLO\",\"protocol\":\(ExecCommand.protocolVersion)}; "
          + "set \(ExecCommand.handshakeKey) = false if it does not use this protocol")
    case .ended: return .reportEnd
    }
  }
}
