// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// A receiver on a pseudo-terminal that is a process of its own.
///
/// It goes on sending while the process of the tests is stopped, so a program that reads it for a few
/// seconds gets the bursts of these seconds.
enum ReceiverProcess {
  private static let script = """
    import os, pty, sys, time, tty
    main, port = pty.openpty()
    tty.setraw(port)
    os.chmod(os.ttyname(port), 0o666)
    print(os.ttyname(port), flush=True)
    while True:
        os.write(main, bytes.fromhex(sys.argv[1]))
        time.sleep(float(sys.argv[2]))
    """

  /// Runs the body with the device node of a receiver that repeats a burst.
  ///
  /// The pause after each burst ends its epoch.
  static func use<Value>(
    _ burst: [UInt8], pauseSeconds: Double = 0.6, _ body: (_ devnode: String) async throws -> Value
  ) async throws -> Value {
    let digits = burst.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let arguments = ["-c", script, digits, "\(pauseSeconds)"]
    return try await ChildProcess.use(path: "/usr/bin/python3", arguments: arguments) { receiver in
      try await body(try #require(await receiver.lines.wait(for: 1).first))
    }
  }
}
