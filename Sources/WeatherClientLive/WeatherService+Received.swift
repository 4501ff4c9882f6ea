// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport
public import WeatherClient

/// Reports that another program looked up, such as the consumer of a fleet.
extension WeatherService {
  /// Stores a report that another program looked up for this board.
  ///
  /// Lookups near the report return it, and contact no provider, until it is 45 minutes old. An older
  /// report than the stored one for the same cell is ignored.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - ageSeconds: The time since the report was looked up.
  ///   - via: The name of the program.
  public func receive(_ report: WeatherReport, ageSeconds: Int64, via: String) {
    var report = report.removingImplausibleValues
    report.via = via
    // The name is shown on terminals and is a single word.
    guard (1...32).contains(report.provider.utf8.count),
      report.provider.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      let age = Int32(exactly: ageSeconds), age >= 0
    else { return }
    let cell = rules.cell(at: report.coordinate)
    let receivedAt = now().advanced(bySeconds: -ageSeconds)
    if let stored = archive.report(for: cell), rules.isFromConfiguredProvider(stored),
      receivedAt.seconds(since: stored.receivedAt) == nil
    {
      return
    }
    guard
      var record = StoredReport(
        report, for: cell, receivedAt: receivedAt, serverTime: nil, validator: nil,
        site: StoredReport.receivedSite, jitter: 0)
    else { return }
    record.validSeconds = StoredReport.receivedValidSeconds
    archive.update(storing: record) { _ in }
    deliverNotices()
  }
}
