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

/// Where a command's data goes, and where it talks to people.
struct CommandOutput: Sendable {
  let json: Bool
  /// Why nothing more could be written.
  private let fault = Fault()

  init(json: Bool) {
    self.json = json
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
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
    let output = DescriptorOutput(descriptor: STDOUT_FILENO)
    let context = PluginContext(
      write: { [fault] bytes in
        do throws(DescriptorOutput.Failure) { try output.write(bytes) } catch {
          fault.number.withLock { $0 = error.number }
          throw error
        }
      }, now: { MonotonicTime.now() },
      utcNow: { SystemClock.utcNow() }, isLive: isLive,
      usesColor: output.wantsColor)
    return json ? JSONLinesSink(context) : TextSink(context)
  }

  /// How a command ends whose sink has failed: of a reader that has gone nothing is said.
  var failure: ExitCode {
    fault.number.withLock { $0 }.map(StandardOutput.failure)
      ?? CommandFailure.inputOutput("standard output takes no more")
  }

  private final class Fault: Sendable {
    let number = Mutex<Int32?>(nil)
  }
}
