// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import Receivers

/// The share of fixes whose error is within the estimated 95 % error, by fix status.
///
/// The fixes are from recordings of stationary receivers.
///
/// The reference is the median of the same fixes, not the true position. An error that all fixes
/// share, such as a delay in the ionosphere, is not detected. The table can show that an estimate
/// is too small, but not that it is large enough.
enum CoverageBench {
  static func run(folder: String) {
    var table = CoverageTable()
    for log in names(in: folder) {
      for period in StationaryPeriod.all(of: fixes(of: "\(folder)/\(log)")) {
        for status in Set(period.fixes.map(\.status)) {
          guard let group = period.group(where: { $0.status == status }) else { continue }
          table.add(group, log: log)
        }
      }
    }
    table.printRows()
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".log") { names.append(name) }
    }
    return names.sorted()
  }

  private static func fixes(of path: String) -> [Fix] {
    let bytes = LogFile.load(path)
    var fixes: [Fix] = []
    var survey = RecordingSurvey()
    survey.read(bytes.span)
    var decoder = NMEADecoder(source: nil, pace: .recorded, survey: survey)
    let deliver = { (event: FixSourceEvent) in
      if case .fix(let fix) = event { fixes.append(fix) }
    }
    decoder.decode(bytes.span, receivedAt: nil, deliver: deliver)
    decoder.finish(deliver: deliver)
    return fixes
  }
}
