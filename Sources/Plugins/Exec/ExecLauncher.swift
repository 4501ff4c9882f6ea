// SPDX-License-Identifier: Apache-2.0

/// Starts external programs.
package protocol ExecLauncher: Sendable {
  /// Starts a program, passes it to `use`, and waits until it has ended.
  ///
  /// Returns how the program ended, or why it could not be started.
  func run(
    _ command: ExecCommand, variables: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd
}

/// A running external program.
package protocol ExecChild: Sendable {
  /// Writes to the program's standard input; returns when the pipe has accepted the bytes.
  ///
  /// - Returns: The number of accepted bytes; less than the number of `bytes`, or -1, if the
  ///   program no longer reads.
  func write(_ bytes: [UInt8]) async -> Int

  /// Closes the program's standard input.
  func closeInput() async

  /// Sends a signal to the program's process group.
  func signal(_ number: Int32) async

  /// Reads one of the program's outputs until its end.
  func read(_ output: ExecOutput, _ take: (UnsafeRawBufferPointer) -> Void) async

  /// Waits until the program has ended; does not wait for the program's child processes.
  func waitUntilEnded() async
}

extension ExecChild {
  /// Returns immediately; for programs whose outputs end when the program ends.
  package func waitUntilEnded() async {}
}

/// An output stream of a program.
package enum ExecOutput: Sendable { case standardOutput, standardError }

/// The way in which a program ended.
package enum ExecEnd: Equatable, Sendable {
  case exited(Int32)
  case signaled(Int32)
  /// The program could not be started, for this reason.
  case notStarted(String)
}
