// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// The resources that this process uses; unknown values are `nil`.
struct ProcessUsage: Equatable, Sendable {
  var residentBytes: Double?
  /// The processor time of all threads since the start, in seconds.
  var processorSeconds: Double?

  static func current() -> ProcessUsage {
    var usage = ProcessUsage()
    // The second number is the count of resident pages, see proc(5).
    let pages = BoundedFile.text("/proc/self/statm")?.split(separator: " ").dropFirst().first
    usage.residentBytes = pages.flatMap { Double($0) }.map {
      $0 * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
    var times = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &times) == 0 {
      usage.processorSeconds = seconds(times.ru_utime) + seconds(times.ru_stime)
    }
    return usage
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
