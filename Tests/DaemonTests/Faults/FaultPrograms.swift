// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@testable import Plugins

/// A launcher of simulated programs, which read all input or exit with an error.
///
/// Only the processes and their pipes are simulated. The daemon's own code starts and stops the
/// programs, and writes their input.
final class FaultPrograms: ExecLauncher {
  static let path = "/usr/bin/program"

  private struct State {
    var isCrashing = false
    var startCount = 0
    var lineCount: UInt64 = 0
    /// The last problem: invalid input, or a start at the wrong time; `nil` if no problem occurred.
    var problem: String?
    var running: Program?
  }

  private let state = Mutex(State())

  /// Number of lines that programs have read.
  var lineCount: UInt64 { state.withLock { $0.lineCount } }

  /// The last problem: invalid input, or a start at the wrong time; `nil` if no problem occurred.
  var problem: String? { state.withLock { $0.problem } }

  /// Makes the running program exit with an error, and each program that is started later crash at
  /// one of the points in `Crash`.
  func crash() {
    let running = state.withLock { state in
      state.isCrashing = true
      return state.running
    }
    running?.end(.exited(3))
  }

  /// Makes new programs run without errors again.
  func recover() { state.withLock { $0.isCrashing = false } }

  func run(
    _ command: ExecCommand, variables: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd {
    guard command.words == [Self.path] else { return .notStarted("no such program") }
    let program = state.withLock { state in
      state.startCount += 1
      let crash = state.isCrashing ? Crash.allCases[state.startCount % 3] : nil
      let program = Program(crash) { [self] in record($0) }
      // The previous program must have exited.
      if state.running != nil { state.problem = "started while another instance runs" }
      state.running = program
      return program
    }
    program.begin()
    await use(program)
    state.withLock { $0.running = nil }
    return program.ended ?? .signaled(SIGKILL)
  }

  private func record(_ line: [UInt8]) {
    state.withLock { state in
      state.lineCount += 1
      let isWhole =
        line.starts(with: Array("{\"class\":\"".utf8)) && line.suffix(2) == [0x7D, 0x0A]
      if !isWhole { state.problem = "invalid line: " + String(decoding: line, as: UTF8.self) }
    }
  }

  /// The time of a crash.
  private enum Crash: CaseIterable { case atOnce, afterHello, inALine }

  /// A simulated process.
  private final class Program: ExecChild {
    private struct State {
      var isGreeted = false
      var end: ExecEnd?
    }

    private let crash: Crash?
    private let record: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())
    private let output = AsyncStream.makeStream(of: [UInt8].self)
    private let errors = AsyncStream.makeStream(of: [UInt8].self)

    init(_ crash: Crash?, _ record: @escaping @Sendable ([UInt8]) -> Void) {
      self.crash = crash
      self.record = record
    }

    var ended: ExecEnd? { state.withLock { $0.end } }

    func begin() { if crash == .atOnce { end(.exited(3)) } }

    /// Ends the process, and closes its output pipes.
    func end(_ end: ExecEnd) {
      state.withLock { $0.end = $0.end ?? end }
      output.continuation.finish()
      errors.continuation.finish()
    }

    func write(_ bytes: [UInt8]) async -> Int {
      if ended != nil { return -1 }
      if crash == .inALine, state.withLock({ $0.isGreeted }) {
        errors.continuation.yield(Array("out of ideas\n".utf8))
        end(.exited(3))
        return bytes.count / 2
      }
      for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
        record(line + [0x0A])
      }
      let isHello = state.withLock { state in
        defer { state.isGreeted = true }
        return !state.isGreeted
      }
      if isHello {
        output.continuation.yield(Array("{\"class\":\"HELLO\",\"protocol\":1}\n".utf8))
        if crash == .afterHello { end(.exited(3)) }
      }
      return bytes.count
    }

    func closeInput() async { end(.exited(0)) }

    func signal(_ number: Int32) async { end(.signaled(number)) }

    func read(_ output: ExecOutput, _ take: (UnsafeRawBufferPointer) -> Void) async {
      let chunks = output == .standardOutput ? self.output.stream : errors.stream
      for await chunk in chunks { chunk.withUnsafeBytes { take($0) } }
    }
  }
}
