// SPDX-License-Identifier: Apache-2.0

/// Starts programs: here begins what lies outside of this one.
package protocol ExecLauncher: Sendable {
  /// Starts a program, gives it away to be worked with, and waits until it is gone.
  ///
  /// Returns how it ended; also where it could not be started.
  func run(
    _ command: ExecCommand, variables: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd
}

/// A program that has been started, until it is gone.
package protocol ExecChild: Sendable {
  /// Writes to its standard input; returns when the pipe has taken all of it.
  ///
  /// - Returns: How many bytes were taken, fewer where nobody is there to read them.
  func write(_ bytes: [UInt8]) async -> Int

  /// Ends its standard input.
  func closeInput() async

  /// Sends a signal to its process group.
  func signal(_ number: Int32) async

  /// Reads one of its outputs to the end.
  func read(_ output: ExecOutput, _ take: (UnsafeRawBufferPointer) -> Void) async

  /// Returns when it is gone, whoever of those that it has started is still there.
  func waitUntilGone() async
}

extension ExecChild {
  /// For one whose outputs end when it does.
  package func waitUntilGone() async {}
}

/// What a program writes to.
package enum ExecOutput: Sendable { case standardOutput, standardError }

/// How a program has ended.
package enum ExecEnd: Equatable, Sendable {
  case exited(Int32)
  case signaled(Int32)
  /// It never ran, and why.
  case notStarted(String)
}
