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

/// Standard output for a command's data, and the stream for the command's messages.
final class Output: Sendable {
  let json: Bool
  /// The errno of the first failed write; `nil` if no write has failed.
  private let fault = Mutex<Int32?>(nil)

  init(json: Bool) {
    self.json = json
    // Makes a write to a closed pipe fail instead of killing the program.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes bytes, and records a failure for ``check()``.
  func write(_ bytes: [UInt8]) throws(DescriptorOutput.Failure) {
    do throws(DescriptorOutput.Failure) {
      try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes)
    } catch {
      fault.withLock { $0 = $0 ?? error.number }
      throw error
    }
  }

  /// Writes lines, each with a newline.
  func write(lines: [String]) throws(DescriptorOutput.Failure) {
    try write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Reports a failed write and throws `ExitCode` 74, if a write has failed.
  func check() throws {
    if let number = fault.withLock({ $0 }) { throw Self.failure(number) }
  }

  /// Prints a message to standard output, or with `json` to standard error.
  var printMessage: @Sendable (String) -> Void {
    let descriptor = json ? STDERR_FILENO : STDOUT_FILENO
    return { text in
      let shown = Text.visible(text, keepingNewlines: true)
      try? DescriptorOutput(descriptor: descriptor).write(Array((shown + "\n").utf8))
    }
  }

  /// Returns the sink for the output format.
  func sink(
    isLive: Bool, format: ValueFormat = ValueFormat(),
    utcNow: @escaping @Sendable () -> UTCTime? = { SystemClock.utcNow() }
  ) -> any Sink {
    var context = PluginContext(
      write: { try self.write($0) }, now: { MonotonicTime.now() },
      utcNow: utcNow, isLive: isLive,
      usesColor: DescriptorOutput(descriptor: STDOUT_FILENO).wantsColor)
    context.format = format
    return json ? JSONLinesSink(context) : TextSink(context)
  }

  /// The exit code for a failed sink; reading this property reports the failure.
  var failure: ExitCode {
    fault.withLock { $0 }.map(Self.failure)
      ?? CommandFailure.inputOutput("standard output: write failed")
  }

  /// Writes bytes, for callers without an `Output`.
  ///
  /// - Throws: `ExitCode` 74 if the write fails; the failure is reported.
  static func write(_ bytes: [UInt8]) throws {
    let output = Output(json: false)
    try? output.write(bytes)
    try output.check()
  }

  /// Reports a failed write and returns exit code 74.
  ///
  /// Prints nothing for `EPIPE`: the reader closed the pipe on purpose.
  static func failure(_ number: Int32) -> ExitCode {
    guard number != EPIPE else { return ExitCode(74) }
    return CommandFailure.inputOutput("standard output: \(Descriptor.text(of: number))")
  }

  /// Checks at exit that the C library has written its buffers, such as the help text.
  static func checkAtExit() {
    atexit {
      guard fflush(nil) != 0, errno != EPIPE else { return }
      _ = Output.failure(errno)
      _exit(74)
    }
  }

  /// Returns when the reader of standard output has closed the pipe, or when the task is cancelled.
  ///
  /// Detects a closed pipe even if nothing is written for hours, by blocking a thread in `poll`. A
  /// file is never regarded as closed.
  static func waitUntilClosed() async {
    guard let wake = try? WakeUp() else { return await PipelineRun.untilCancelled() }
    await withTaskCancellationHandler {
      await BlockingThread.value { watch(until: wake) }
    } onCancel: {
      wake.signal()
    }
  }

  private static func watch(until wake: WakeUp) {
    var descriptors = [
      // poll reports errors and hang-ups even if no events are requested.
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while descriptors[1].revents == 0 {
      guard poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 || errno == EINTR else { return }
      if descriptors[0].revents & Int16(POLLERR | POLLHUP) != 0 { return }
      // POLLNVAL: standard output is not open, which the next write reports. poll ignores -1.
      if descriptors[0].revents != 0 { descriptors[0].fd = -1 }
    }
  }
}
