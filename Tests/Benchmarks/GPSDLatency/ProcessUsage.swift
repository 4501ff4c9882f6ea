// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's figures for the resource usage of a process.
struct ProcessUsage {
  /// User and system time of all threads, usually with a resolution of 10 ms.
  var cpuSeconds: Double
  /// Current resident memory.
  var residentKilobytes: Int
  /// Peak resident memory.
  var peakKilobytes: Int
  /// Resident memory that is not backed by a file; other resident memory is mostly code, which the
  /// kernel can discard and share.
  var anonymousKilobytes: Int

  init?(processID: pid_t) {
    let folder = "/proc/\(processID)"
    let stat = String(decoding: LogFile.load("\(folder)/stat"), as: UTF8.self)
    // The name in parentheses may contain any text; utime and stime are fields 12 and 13 after the
    // name.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return nil
    }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    let status = String(decoding: LogFile.load("\(folder)/status"), as: UTF8.self)
    func kilobytes(_ name: String) -> Int? {
      status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        .flatMap { $0.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } }
    }
    guard let resident = kilobytes("VmRSS"), let peak = kilobytes("VmHWM"),
      let anonymous = kilobytes("RssAnon")
    else { return nil }
    (residentKilobytes, peakKilobytes, anonymousKilobytes) = (resident, peak, anonymous)
  }
}
