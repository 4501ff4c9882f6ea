// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import Receivers

/// The output of `fixcast devices` for one device.
struct DeviceRow: Equatable {
  /// The use of the device.
  enum State: String {
    case receiver, candidate, modem, ignored
    case namedOnly = "named only"
    case gone
  }

  let state: State
  let receiver: DiscoveredReceiver
  let reason: IgnoredReason?
  var holders: [PortHolders.Holder] = []
  /// The devices of all rows.
  var others: [DiscoveredReceiver] = []
  /// How gpsd uses the device; `nil` if gpsd neither lists the device nor is configured for it.
  var gpsd: GPSD?

  enum GPSD: Equatable {
    /// gpsd is running and lists the device.
    case lists
    /// gpsd is running and configured for the device, and may not report all of its devices.
    case isConfigured
    /// gpsd is running and configured for the device, but does not list the device.
    case lacks
    /// gpsd is configured for the device, but is not running.
    case isAbsent
    /// gpsd is configured for the device, but another program listens on gpsd's port.
    case isDisplaced(GPSDPresence.Behavior)
  }

  /// Returns how gpsd uses a receiver; `nil` if gpsd neither lists the receiver nor is configured
  /// for it.
  ///
  /// `presence` is the result of probing gpsd's port; `isConfigured` is whether gpsd's
  /// configuration names the receiver.
  static func gpsd(
    of receiver: DiscoveredReceiver, presence: GPSDPresence, isConfigured: Bool
  ) -> GPSD? {
    if presence.has(receiver) { return .lists }
    guard isConfigured else { return nil }
    return switch presence {
    case .gpsd: presence.lacks(receiver) ? .lacks : .isConfigured
    case .other(let behavior): .isDisplaced(behavior)
    case .absent: .isAbsent
    }
  }

  /// Creates the row of an event; `nil` if the event concerns no device.
  init?(_ event: DiscoveryEvent) {
    switch event {
    case .found(let receiver):
      (self.receiver, reason) = (receiver, nil)
      state = receiver.role == .modemPort ? .modem : .receiver
    case .candidate(let receiver): (self.receiver, reason, state) = (receiver, nil, .candidate)
    case .ignored(let receiver, let why):
      (self.receiver, reason, state) = (receiver, why, why == .namedOnly ? .namedOnly : .ignored)
    case .gone(let receiver): (self.receiver, reason, state) = (receiver, nil, .gone)
    case .settled, .unavailable: return nil
    }
  }

  static let headings = ["DEVNODE", "STATE", "MODEL", "ID", "SPEED", "HELD BY", "NAME"]

  /// The columns, in the order of ``headings``; a dash for unknown values.
  var columns: [String] {
    let quirks = receiver.model?.quirks ?? []
    let speed = receiver.model?.usualSpeedsBaud.first.map { "\($0) baud" }
    return [
      receiver.devnode, state.rawValue, receiver.modelName ?? "-",
      receiver.device.usbID?.description ?? "-",
      quirks.contains(.ignoresSpeed) ? "any" : receiver.requiresValidation ? "-" : speed ?? "-",
      holders.isEmpty ? "-" : heldBy, ownName ?? "-",
    ].map { Text.visible($0) }
  }

  /// The row as one line, for output without a table.
  var line: String {
    let id = receiver.device.usbID.map { " (\($0))" } ?? ""
    return Text.visible(
      "\(state.rawValue): \(receiver.devnode)" + (receiver.modelName.map { " " + $0 } ?? "")
        + id + (ownName.map { ", \($0)" } ?? "") + (holders.isEmpty ? "" : ", held by \(heldBy)")
        + (remark.map { "; \($0)" } ?? ""))
  }

  /// The stable name; `nil` if the device has only its device node.
  private var ownName: String? { receiver.name == receiver.devnode ? nil : receiver.name }

  private var consent: String { receiver.consent(among: others) }

  private var heldBy: String {
    holders.map { "\($0.program) (\($0.processID))" }.joined(separator: ", ")
  }

  /// The remark on a line below the row.
  var remark: String? {
    if gpsd == .lists { return "in use by gpsd; its fixes come from gpsd" }
    return switch state {
    case .candidate:
      "an Arduino, or a converter that may have a receiver behind it; opened only if you name it: "
        + consent
    case .namedOnly: "used only if you name it: \(consent)"
    case .modem: "read only, never written to: the modem belongs to ModemManager"
    case .ignored: reason?.description
    case .receiver:
      switch gpsd {
      case .isConfigured, .lists: "its fixes come from gpsd, which is configured for it"
      case .lacks:
        "gpsd is configured for it but does not have it: sudo gpsdctl add \(receiver.devnode)"
      case .isDisplaced(let behavior):
        "gpsd is configured for it, but the program on gpsd's port \(behavior); "
          + "to see it: sudo ss -ltnp 'sport = :2947'"
      case .isAbsent: GPSDConfiguration.absence(of: receiver.devnode)
      case nil: nil
      }
    case .gone: nil
    }
  }

  /// Appends the row as gpsd's DEVICE object, with additional keys, and a newline.
  func append(to line: inout JSONLine) {
    let device = receiver.device
    line.beginObject()
    line.constant("class", "DEVICE")
    line.string("path", receiver.devnode)
    // gpsd reports a removed device with `activated` 0.
    if state == .gone { line.integer("activated", 0) }
    line.string("model", receiver.modelName)
    line.string("name", receiver.name)
    line.string("state", state.rawValue)
    line.string("reason", reason?.description)
    if state == .candidate || state == .namedOnly { line.string("consent", consent) }
    line.string("vendor", device.usbID?.vendorText)
    line.string("product", device.usbID?.productText)
    line.string("serial", device.serialNumber)
    line.string("kernelDriver", device.driver)
    if receiver.model?.quirks.contains(.ignoresSpeed) != true {
      line.integer("usualBps", receiver.model?.usualSpeedsBaud.first)
    }
    if gpsd != nil { line.constant("leftTo", "gpsd") }
    if !holders.isEmpty {
      line.beginArray("heldBy")
      for holder in holders {
        line.beginObject()
        line.integer("pid", Int(holder.processID))
        line.string("program", holder.program)
        line.endObject()
      }
      line.endArray()
    }
    line.endObject()
    line.endLine()
  }
}
