// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import Receivers

/// Prints discovered devices, as a table, as lines, or as JSON.
struct DevicePrinter: Sendable {
  let output: Output

  /// Prints all present devices.
  func print(_ events: [DiscoveryEvent]) throws(DescriptorOutput.Failure) {
    var rows = events.compactMap(DeviceRow.init)
    let devices = rows.map(\.receiver)
    for index in rows.indices { rows[index].others = devices }
    let holders = addHolders(to: &rows)
    if rows.isEmpty { StandardError.print("no serial device found") }
    if holders.unreadableProcessCount > 0 {
      StandardError.print(
        "\(holders.unreadableProcessCount) processes of other users are not visible and may hold a "
          + "port; run with sudo to include them")
    }
    if output.json { return try write(json: rows) }
    var table = TextTable()
    if !rows.isEmpty { table.add(DeviceRow.headings) }
    for row in rows { table.add(row.columns, remark: row.remark) }
    try output.write(lines: table.lines)
  }

  /// Prints one event.
  func print(_ event: DiscoveryEvent) throws(DescriptorOutput.Failure) {
    switch event {
    // The command ends after this event and reports the error.
    case .unavailable: return
    case .settled:
      StandardError.print("watching; stop with Ctrl-C")
      return
    case .found, .candidate, .ignored, .gone: break
    }
    var rows = [DeviceRow(event)].compactMap { $0 }
    switch event {
    // The holders of ignored devices are not determined: a scan of all processes for every UART
    // would take too long.
    case .found, .candidate: _ = addHolders(to: &rows)
    default: break
    }
    try output.json ? write(json: rows) : output.write(lines: rows.map(\.line))
  }

  private func addHolders(to rows: inout [DeviceRow]) -> PortHolders {
    let holders = PortHolders(of: rows.map(\.receiver.devnode))
    let configuration = GPSDConfiguration.installed()
    let presence = rows.isEmpty ? .absent : GPSDProbe().presence()
    for index in rows.indices {
      let receiver = rows[index].receiver
      rows[index].holders = holders.holders(of: receiver.devnode)
      rows[index].gpsd = DeviceRow.gpsd(
        of: receiver, presence: presence, isConfigured: configuration.claims(receiver))
    }
    return holders
  }

  private func write(json rows: [DeviceRow]) throws(DescriptorOutput.Failure) {
    var line = JSONLine()
    for row in rows { row.append(to: &line) }
    try output.write(line.bytes)
  }
}
