// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins
import Synchronization

/// Standard output, and the error of the first write that failed.
final class SceneOutput: Sendable {
  private let output = DescriptorOutput(descriptor: STDOUT_FILENO)
  private let failure = Mutex<Int32?>(nil)

  /// The error number of the write that failed; `nil` where none has.
  var failureNumber: Int32? { failure.withLock { $0 } }

  /// Writes a line; `false` once one could not be written.
  func write(_ bytes: [UInt8]) -> Bool {
    do throws(DescriptorOutput.Failure) {
      try output.write(bytes)
      return true
    } catch {
      failure.withLock { $0 = error.number }
      return false
    }
  }
}
