// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins
import Positioning
import Receivers

/// Prints what discovery says, as a table, as lines, or as JSON.
struct DevicePrinter: Sendable {
  let json: Bool

  /// Prints all that is there; the error number of a write that failed, else `nil`.
  func print(_ events: [DiscoveryEvent]) -> Int32? {
    var rows = events.compactMap(DeviceRow.init)
    let holders = addHolders(to: &rows)
    if rows.isEmpty { StandardError.print("no serial device is plugged in") }
    if holders.unseenProcessCount > 0 {
      StandardError.print(
        "\(holders.unseenProcessCount) processes of other users could not be looked at, and may "
          + "hold a port; run it with sudo to see")
    }
    if json { return write(json: rows) }
    var table = TextTable()
    if !rows.isEmpty { table.add(DeviceRow.headings) }
    for row in rows { table.add(row.columns, remark: row.remark) }
    return write(table.lines)
  }

  /// Prints an event as it comes; the error number of a write that failed, else `nil`.
  func print(_ event: DiscoveryEvent) -> Int32? {
    switch event {
    // It ends whoever prints, which says why.
    case .unavailable: return nil
    case .settled:
      StandardError.print("watching; stop with Ctrl-C")
      return nil
    case .found, .candidate, .ignored, .gone: break
    }
    var rows = [DeviceRow(event)].compactMap { $0 }
    switch event {
    // Only these may be wanted by two; looking through all processes for every UART takes time.
    case .found, .candidate: _ = addHolders(to: &rows)
    default: break
    }
    return json ? write(json: rows) : write(rows.map(\.line))
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

  private func write(json rows: [DeviceRow]) -> Int32? {
    var line = JSONLine()
    for row in rows { row.append(to: &line) }
    return write(line.bytes)
  }

  private func write(_ lines: [String]) -> Int32? {
    write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private func write(_ bytes: [UInt8]) -> Int32? {
    do throws(DescriptorOutput.Failure) {
      try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes)
      return nil
    } catch {
      return error.number
    }
  }
}
