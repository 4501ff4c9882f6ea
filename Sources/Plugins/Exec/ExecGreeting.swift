// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// Decides from when on a program counts as running.
///
/// One that says hello does when it has; one that does not, as soon as it is there.
struct ExecGreeting: Sendable {
  enum Event: Equatable, Sendable {
    /// It is there.
    case started
    /// It has said which protocol it speaks.
    case hello(Int)
    /// It has taken too long.
    case timeOver
    /// It is gone.
    case ended
  }

  enum Step: Equatable, Sendable {
    /// It is to be told hello.
    case greet
    /// It runs.
    case run
    /// It is of no use, and why.
    case refuse(PluginError.Kind, String)
    /// Its end says why.
    case explainEnd
  }

  /// The program.
  let command: ExecCommand

  /// How long an answer is waited for; `nil` where none is.
  var patience: Duration? { command.saysHello ? .seconds(command.helloSeconds) : nil }

  /// Takes an event, and says what to do.
  func handle(_ event: Event) -> Step {
    switch event {
    case .started: return command.saysHello ? .greet : .run
    case .hello(ExecCommand.protocolVersion): return .run
    case .hello(let version):
      return .refuse(
        .unsupported,
        "it speaks protocol \(version), and this fixcast \(ExecCommand.protocolVersion)")
    case .timeOver:
      let seconds = Text.fixed(command.helloSeconds, 1)
      return .refuse(
        .transient(),
        "it said no hello within \(seconds) s; its first line has to be "
          + "{\"class\":\"HELLO\",\"protocol\":\(ExecCommand.protocolVersion)}; "
          + "write \(ExecCommand.greetingKey) = false for a program that knows nothing of that")
    case .ended: return .explainEnd
    }
  }
}
