// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A named pipe that a program reads as a file; writing to the pipe never blocks.
final class FeedPipe {
  let path: String
  private let folder: String
  private let descriptor: Int32

  init?() {
    var template = Array("/tmp/fixcast-bench.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    folder = String(cString: made)
    path = folder + "/feed"
    // The pipe is opened for reading and writing, so that neither this process nor the program
    // waits in open.
    guard mkfifo(path, 0o600) == 0 else { return nil }
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    close(descriptor)
    unlink(path)
    rmdir(folder)
  }

  func write(_ bytes: ArraySlice<UInt8>) {
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
