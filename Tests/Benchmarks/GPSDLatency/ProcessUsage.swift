// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel says a process has used.
struct ProcessUsage {
  /// In user and kernel mode, of all its threads, in hundredths of a second as a rule.
  var cpuSeconds: Double
  /// What is in memory now, and was at most.
  var residentKilobytes: Int
  var peakKilobytes: Int
  /// The part of what is in memory that is in no file: the rest is code, which can be read again
  /// and is shared with other programs.
  var anonymousKilobytes: Int

  init?(processID: pid_t) {
    let folder = "/proc/\(processID)"
    let stat = String(decoding: LogFile.load("\(folder)/stat"), as: UTF8.self)
    // The name, in parentheses, may hold anything; utime and stime are the 12th and 13th after it.
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
