// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@testable import Plugins

/// Where programs are started: one that takes all that it is given, or ends with an error.
///
/// What starts it, speaks with it and ends it is the daemon's own; only its process and its pipes are
/// not.
final class FaultPrograms: ExecLauncher {
  static let path = "/usr/bin/program"

  private struct State {
    var isCrashing = false
    var startCount = 0
    var lineCount: UInt64 = 0
    /// What no program should be given.
    var complaint: String?
    var running: Program?
  }

  private let state = Mutex(State())

  /// How many lines programs were given.
  var lineCount: UInt64 { state.withLock { $0.lineCount } }

  /// What was wrong with what a program was given; `nil` for nothing.
  var complaint: String? { state.withLock { $0.complaint } }

  /// From now on each program ends with an error, early or late; so does the one that runs.
  func crash() {
    let running = state.withLock { state in
      state.isCrashing = true
      return state.running
    }
    running?.end(.exited(3))
  }

  /// From now on programs are well.
  func mend() { state.withLock { $0.isCrashing = false } }

  func run(
    _ command: ExecCommand, variables: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd {
    guard command.words == [Self.path] else { return .notStarted("no such program") }
    let program = state.withLock { state in
      state.startCount += 1
      let crash = state.isCrashing ? Crash.allCases[state.startCount % 3] : nil
      let program = Program(crash) { [self] in took($0) }
      // The one before is gone, or it would be two.
      if state.running != nil { state.complaint = "it is started twice" }
      state.running = program
      return program
    }
    program.begin()
    await use(program)
    state.withLock { $0.running = nil }
    return program.ended ?? .signaled(SIGKILL)
  }

  private func took(_ line: [UInt8]) {
    state.withLock { state in
      state.lineCount += 1
      let isWhole =
        line.starts(with: Array("{\"class\":\"".utf8)) && line.suffix(2) == [0x7D, 0x0A]
      if !isWhole { state.complaint = "no line: " + String(decoding: line, as: UTF8.self) }
    }
  }

  /// When a program crashes.
  private enum Crash: CaseIterable { case atOnce, afterHello, inALine }

  /// A program that nobody has started.
  private final class Program: ExecChild {
    private struct State {
      var isGreeted = false
      var end: ExecEnd?
    }

    private let crash: Crash?
    private let took: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())
    private let output = AsyncStream.makeStream(of: [UInt8].self)
    private let errors = AsyncStream.makeStream(of: [UInt8].self)

    init(_ crash: Crash?, _ took: @escaping @Sendable ([UInt8]) -> Void) {
      self.crash = crash
      self.took = took
    }

    var ended: ExecEnd? { state.withLock { $0.end } }

    func begin() { if crash == .atOnce { end(.exited(3)) } }

    /// Ends as a process does: nobody writes to its pipes any more, or reads from them.
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
        took(line + [0x0A])
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
