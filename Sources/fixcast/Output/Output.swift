// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Glibc
import Pipeline
import Plugins
import Positioning
import Receivers
import Synchronization
internal import SystemSupport

/// Standard output, where a command's data goes, and where the command talks to people meanwhile.
final class Output: Sendable {
  let json: Bool
  /// The errno of the first write that failed; `nil` where none has.
  private let fault = Mutex<Int32?>(nil)

  init(json: Bool) {
    self.json = json
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes bytes, and keeps why that failed for ``check()``.
  func write(_ bytes: [UInt8]) throws(DescriptorOutput.Failure) {
    do throws(DescriptorOutput.Failure) {
      try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes)
    } catch {
      fault.withLock { $0 = $0 ?? error.number }
      throw error
    }
  }

  /// Writes lines, each with its end, as `write(_:)` does bytes.
  func write(lines: [String]) throws(DescriptorOutput.Failure) {
    try write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Throws `ExitCode` 74 where a write has failed; why has been said.
  func check() throws {
    if let number = fault.withLock({ $0 }) { throw Self.failure(number) }
  }

  /// Tells people something: between the data where that is for people too, else beside it.
  var say: @Sendable (String) -> Void {
    let descriptor = json ? STDERR_FILENO : STDOUT_FILENO
    return { text in
      let shown = Text.visible(text, keepingNewlines: true)
      try? DescriptorOutput(descriptor: descriptor).write(Array((shown + "\n").utf8))
    }
  }

  /// The sink that was asked for.
  func sink(isLive: Bool) -> any Sink {
    let context = PluginContext(
      write: { try self.write($0) }, now: { MonotonicTime.now() },
      utcNow: { SystemClock.utcNow() }, isLive: isLive,
      usesColor: DescriptorOutput(descriptor: STDOUT_FILENO).wantsColor)
    return json ? JSONLinesSink(context) : TextSink(context)
  }

  /// How a command ends whose sink has failed.
  var failure: ExitCode {
    fault.withLock { $0 }.map(Self.failure)
      ?? CommandFailure.inputOutput("standard output takes no more")
  }

  /// Writes bytes that are all there is to print, or one of several such pieces.
  ///
  /// - Throws: `ExitCode` 74 where they could not be written; why has been said.
  static func write(_ bytes: [UInt8]) throws {
    let output = Output(json: false)
    try? output.write(bytes)
    try output.check()
  }

  /// How a command ends whose data could not be written.
  ///
  /// - Parameter number: The errno. Of a reader that has gone nothing is said: it has what it wanted.
  /// - Returns: 74.
  static func failure(_ number: Int32) -> ExitCode {
    guard number != EPIPE else { return ExitCode(74) }
    return CommandFailure.inputOutput("standard output: \(Descriptor.text(of: number))")
  }

  /// Has what others print through the C library, such as help, be known to have been written when
  /// the program ends by itself.
  static func checkAtExit() {
    atexit {
      guard fflush(nil) != 0, errno != EPIPE else { return }
      _ = Output.failure(errno)
      _exit(74)
    }
  }

  /// Returns when the reader of standard output has gone, or when the task is cancelled.
  ///
  /// A program that has nothing to say for hours would find out no sooner that it talks to nobody. A
  /// thread sleeps for it in `poll` and wakes for nothing else. A file is always read.
  static func waitUntilUnread() async {
    guard let wake = try? WakeUp() else { return await PipelineRun.untilCancelled() }
    await withTaskCancellationHandler {
      await BlockingThread.value { watch(until: wake) }
    } onCancel: {
      wake.signal()
    }
  }

  private static func watch(until wake: WakeUp) {
    var descriptors = [
      // Errors and hang-ups are told without being asked for.
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while descriptors[1].revents == 0 {
      guard poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 || errno == EINTR else { return }
      if descriptors[0].revents & Int16(POLLERR | POLLHUP) != 0 { return }
      // Closed by whoever started the program: a write says so.
      if descriptors[0].revents != 0 { descriptors[0].fd = -1 }
    }
  }
}
