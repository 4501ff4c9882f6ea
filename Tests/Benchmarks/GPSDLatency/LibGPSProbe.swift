// SPDX-License-Identifier: Apache-2.0

import CGPS
import Glibc

/// A typical client of gpsd, with poll(2) and libgps and without Fixcast.
enum LibGPSProbe {
  /// The maximum number of attempts to connect to gpsd, 0.1 s apart.
  private static let maxAttempts = 100

  /// Reads from gpsd until gpsd exits.
  static func run(port: String) {
    var message = [CChar](repeating: 0, count: Int(CGPS_TEXT_MAX))
    var session: OpaquePointer?
    // gpsd is started at the same time and may not be listening yet.
    for _ in 0..<maxAttempts {
      session = cgps_gpsd_open("127.0.0.1", port, &message, message.count)
      if session != nil { break }
      usleep(100_000)
    }
    guard let session, cgps_gpsd_watch(session, nil) == 0 else { exit(69) }
    let report = UnsafeMutablePointer<cgps_report>.allocate(capacity: 1)
    report.initialize(to: cgps_report())
    var last: Int64 = 0
    while true {
      var descriptor = pollfd(
        fd: cgps_gpsd_descriptor(session), events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, -1) > 0 else { continue }
      var count = cgps_gpsd_read(session, report)
      while count > 0 {
        printArrival(report, &last)
        count = cgps_gpsd_read(session, report)
      }
      if count < 0 { exit(0) }
    }
  }

  /// Prints the arrival of the first position of each epoch.
  private static func printArrival(_ report: UnsafePointer<cgps_report>, _ last: inout Int64) {
    let now = MonotonicClock.nanoseconds()
    let needed = UInt32(CGPS_TIME | CGPS_POSITION)
    guard report.pointee.class == CGPS_TPV, report.pointee.known & needed == needed else { return }
    let fraction = (Int64(report.pointee.nanoseconds) + 500_000) / 1_000_000
    let epoch = report.pointee.seconds * 1000 + fraction
    guard epoch != last else { return }
    last = epoch
    Arrival(epochMilliseconds: epoch, atNanoseconds: now).report()
  }
}
