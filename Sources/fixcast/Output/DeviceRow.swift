// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import Receivers

/// What `fixcast devices` says of one device.
struct DeviceRow: Equatable {
  /// What may be done with it.
  enum State: String {
    case receiver, candidate, modem, ignored
    case namedOnly = "named only"
    case gone
  }

  let state: State
  let receiver: DiscoveredReceiver
  let reason: IgnoredReason?
  var holders: [PortHolders.Holder] = []
  /// What gpsd has to do with it; `nil` for nothing.
  var gpsd: GPSD?

  enum GPSD: Equatable {
    /// A gpsd answers, and says that it has it.
    case lists
    /// gpsd's configuration gives it to gpsd, which answers.
    case isConfigured
    /// gpsd's configuration gives it to gpsd, which answers and does not have it.
    case lacks
    /// gpsd's configuration gives it to gpsd, and no gpsd answers.
    case isAbsent
    /// gpsd's configuration gives it to gpsd, and what listens at gpsd's port does this instead.
    case isDisplaced(GPSDPresence.Behavior)
  }

  /// What gpsd has to do with a receiver.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - presence: What a look at gpsd's port has found.
  ///   - isConfigured: Whether gpsd's configuration gives it to gpsd.
  /// - Returns: What it has to do with it; `nil` for nothing.
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

  /// The row of an event; `nil` where it is about no device.
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

  /// The columns for people, in the order of ``headings``; what is not known is a dash.
  var columns: [String] {
    let quirks = receiver.model?.quirks ?? []
    let speed = receiver.model?.usualSpeedsBaud.first.map { "\($0) baud" }
    return [
      receiver.devnode, state.rawValue, receiver.modelName ?? "-",
      receiver.device.usbID?.description ?? "-",
      quirks.contains(.ignoresSpeed) ? "any" : receiver.mustProveItself ? "-" : speed ?? "-",
      holders.isEmpty ? "-" : heldBy, ownName ?? "-",
    ].map { Text.visible($0) }
  }

  /// The whole row as one line, for where there is no table.
  var line: String {
    let id = receiver.device.usbID.map { " (\($0))" } ?? ""
    return Text.visible(
      "\(state.rawValue): \(receiver.devnode)" + (receiver.modelName.map { " " + $0 } ?? "")
        + id + (ownName.map { ", \($0)" } ?? "") + (holders.isEmpty ? "" : ", held by \(heldBy)")
        + (remark.map { "; \($0)" } ?? ""))
  }

  /// The name that it keeps; `nil` where it has none but the devnode.
  private var ownName: String? { receiver.name == receiver.devnode ? nil : receiver.name }

  private var heldBy: String {
    holders.map { "\($0.program) (\($0.processID))" }.joined(separator: ", ")
  }

  /// What there is to add on a line of its own.
  var remark: String? {
    if gpsd == .lists { return "gpsd has it, and its fixes come from gpsd" }
    return switch state {
    case .candidate:
      "may have a receiver behind it, or an Arduino: opened with your consent only, "
        + receiver.consent
    case .namedOnly: "used when named: \(receiver.consent)"
    case .modem: "listened to, never written to: ModemManager has the modem"
    case .ignored: reason?.description
    case .receiver:
      switch gpsd {
      case .isConfigured, .lists: "its fixes come from gpsd, which is configured for it"
      case .lacks:
        "gpsd is configured for it and does not have it: sudo gpsdctl add \(receiver.devnode)"
      case .isDisplaced(let behavior):
        "gpsd is configured for it, and what listens at gpsd's port \(behavior)."
          + " See what it is: sudo ss -tlnp sport = :2947"
      case .isAbsent: GPSDConfiguration.absence(of: receiver.devnode)
      case nil: nil
      }
    case .gone: nil
    }
  }

  /// Writes it as gpsd's object DEVICE and a newline; the fields after `driver` are our own.
  func append(to line: inout JSONLine) {
    let device = receiver.device
    line.beginObject()
    line.constant("class", "DEVICE")
    line.string("path", receiver.devnode)
    // gpsd's way of saying that a device has gone.
    if state == .gone { line.integer("activated", 0) }
    line.string("model", receiver.modelName)
    line.string("name", receiver.name)
    line.string("state", state.rawValue)
    line.string("reason", reason?.description)
    if state == .candidate || state == .namedOnly { line.string("consent", receiver.consent) }
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
