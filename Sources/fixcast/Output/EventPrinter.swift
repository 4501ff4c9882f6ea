// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins
import Positioning

/// Prints fixes and skies as JSON lines, in large writes.
final class EventPrinter {
  private static let highWater = 65_536

  private let device: String?
  private var line = JSONLine(reservingCapacity: highWater + 16_384)
  private let output = DescriptorOutput(descriptor: STDOUT_FILENO)
  private var failure: DescriptorOutput.Failure?

  /// Creates a printer for one device; without a name, the key `device` is omitted.
  init(device: String?) { self.device = device }

  /// Prints a fix or a sky, omitting `time` if the date is unknown.
  func print(_ event: FixSourceEvent) {
    switch event {
    case .fix(let fix): line.appendTPV(fix)
    case .sky(let sky): line.appendSKY(sky, device: device)
    // Events of live sources, and instruments, are not printed.
    case .instruments, .connected, .receiver, .lost: return
    }
    if line.bytes.count >= Self.highWater { write() }
  }

  /// Writes the buffered lines.
  ///
  /// - Throws: `ExitCode` 74 if any write has failed.
  func flush() throws {
    write()
    if let failure { throw Output.failure(failure.number) }
  }

  private func write() {
    do throws(DescriptorOutput.Failure) {
      try output.write(line.bytes)
    } catch {
      failure = failure ?? error
    }
    line.removeAll()
  }
}
