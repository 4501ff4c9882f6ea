// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A table of actual and estimated errors, with a row for each kind of estimate.
struct CoverageTable {
  /// The basis of an estimate.
  private enum Kind: CaseIterable {
    case autonomous, differential, rtkFloat, rtkFixed, other, stated

    init(_ fix: Fix, _ accuracy: Accuracy) {
      if accuracy.basis == .receiver {
        self = .stated
      } else {
        switch fix.status {
        case nil, .autonomous: self = .autonomous
        case .differential: self = .differential
        case .rtkFloat: self = .rtkFloat
        case .rtkFixed: self = .rtkFixed
        default: self = .other
        }
      }
    }

    var name: String {
      switch self {
      case .autonomous: "autonomous"
      case .differential: "differential, SBAS"
      case .rtkFloat: "RTK float"
      case .rtkFixed: "RTK fixed"
      case .other: "other"
      case .stated: "stated by the receiver"
      }
    }
  }

  private var horizontal: [Kind: CoverageRow] = [:]
  private var vertical: [Kind: CoverageRow] = [:]
  private var frozenLogs: Set<String> = []

  /// Adds fixes of one status, whose reference is the median of these fixes.
  mutating func add(_ group: [Fix], log: String) {
    guard let latitude = group.compactMap(\.coordinate?.latitudeDegrees).median,
      let longitude = group.compactMap(\.coordinate?.longitudeDegrees).median,
      let reference = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return }
    // A receiver that freezes its position while stationary shows no error.
    guard Set(group.map(\.coordinate)).count > 1 else {
      frozenLogs.insert(log)
      return
    }
    let height = group.compactMap(\.altitudeMetersAboveSeaLevel).median
    for fix in group {
      if let place = fix.coordinate, let estimate = fix.horizontalAccuracy,
        let meters = estimate.horizontalMeters(atConfidencePercent: 95)
      {
        horizontal[.init(fix, estimate), default: CoverageRow()].add(
          errorMeters: reference.distanceMeters(to: place), estimateMeters: meters, log: log)
      }
      if let height, let altitude = fix.altitudeMetersAboveSeaLevel,
        let estimate = fix.verticalAccuracy,
        let meters = estimate.verticalMeters(atConfidencePercent: 95)
      {
        vertical[.init(fix, estimate), default: CoverageRow()].add(
          errorMeters: abs(altitude - height), estimateMeters: meters, log: log)
      }
    }
  }

  func printRows() {
    printRow([
      "status", "logs", "fixes", "within", "eph", "95 % error",
      "fixes", "within", "epv", "95 % error",
    ])
    for kind in Kind.allCases {
      let horizontalRow = horizontal[kind] ?? CoverageRow()
      let verticalRow = vertical[kind] ?? CoverageRow()
      if kind == .other, horizontalRow.fixes + verticalRow.fixes == 0 { continue }
      let logCount = horizontalRow.logs.union(verticalRow.logs).count
      printRow([kind.name, "\(logCount)"] + horizontalRow.cells + verticalRow.cells)
    }
    print("skipped: \(frozenLogs.count) logs that repeat one position")
    print("reference: the median of each stationary period, which hides errors common to all fixes")
  }

  private func printRow(_ cells: [String]) {
    let widths = [23, 5, 7, 9, 9, 12, 7, 9, 9, 12]
    let padded = zip(cells, widths).enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + space : space + cell.0
    }
    print(padded.joined())
  }
}
