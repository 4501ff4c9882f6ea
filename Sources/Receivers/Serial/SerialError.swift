// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Why a serial receiver cannot be read, or not any longer.
public struct SerialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// At which step.
  public enum Kind: Equatable, Sendable {
    /// The devnode could not be opened.
    case open
    /// Other programs have it open; empty where the system says so and hides who.
    case busy([PortHolders.Holder])
    /// It is open and would not become a raw serial line.
    case configure
    /// The speed is none that Linux has, or the port did not take it.
    case speed(baud: Int)
    /// Reading failed.
    case read
    /// The receiver is gone: unplugged, switched off, or its other end closed.
    case hangUp
    /// It sends a binary protocol and no sentences.
    case binaryOnly(BinaryProtocol)
    /// It was listened to at every usual speed, and sent no two valid sentences.
    case noReceiver
    /// The program has no thread or descriptor left for it.
    case resources
  }

  /// At which step.
  public let kind: Kind
  /// The devnode.
  public let devnode: String
  /// The system call.
  public let call: String
  /// Its `errno`; 0 where the call gave none, as at end of file.
  public let errorNumber: Int32

  init(kind: Kind, devnode: String, call: String, errorNumber: Int32 = 0) {
    self.kind = kind
    self.devnode = devnode
    self.call = call
    self.errorNumber = errorNumber
  }

  init(_ kind: Kind, _ devnode: String, _ failure: SystemCallFailure) {
    self.init(kind: kind, devnode: devnode, call: failure.call, errorNumber: failure.number)
  }

  /// The words for ``errorNumber``.
  public var errorText: String {
    if case .busy(let holders) = kind, !holders.isEmpty {
      return holders.map { "\($0.program) (pid \($0.processID))" }.joined(separator: ", ")
        + (holders.count == 1 ? " holds it" : " hold it")
    }
    if errorNumber != 0 { return SystemCallFailure.text(for: errorNumber) }
    if case .speed(let baud) = kind { return "\(baud) baud not possible" }
    if case .binaryOnly(let found) = kind { return "\(found.rawValue) and no NMEA" }
    if case .noReceiver = kind { return "no valid sentences at any usual speed" }
    return "end of file"
  }

  /// What to do about it, in a sentence.
  public var advice: String {
    switch (kind, errorNumber) {
    case (.hangUp, _): "The receiver is gone; plug it in again."
    case (.binaryOnly, _): "gpsd reads it; run gpsd on it and name gpsd as the source."
    case (.noReceiver, _): "Is a receiver behind it, and switched on?"
    case (.speed, _): "Choose a speed that the port has, such as 4800, 9600, 38400 or 115200."
    case (.open, EACCES), (.open, EPERM):
      NodeGroup(of: devnode).advice
    case (.open, ENOENT), (.open, ENXIO), (.open, ENODEV):
      "Plug the receiver in, and see which devnode it has: fixcast devices."
    case (.busy(let holders), _): Self.advice(against: holders, devnode)
    case (.configure, ENOTTY): "This is not a serial device; give the devnode of a receiver."
    case (.resources, _): "Raise the limit of open files or threads of the service."
    default: "Unplug the receiver, plug it in again, and see dmesg for the cause."
    }
  }

  private static func advice(
    against holders: [PortHolders.Holder], _ devnode: String
  ) -> String {
    guard let holder = holders.first(where: { $0.program == "gpsd" }) ?? holders.first else {
      return "Another program holds it, often gpsd, ModemManager or Fixcast's own daemon: "
        + "sudo fuser -v \(devnode)."
    }
    return switch holder.program {
    case "gpsd": "Let it: use --source gpsd. Or end it: sudo systemctl stop gpsd.socket gpsd."
    case "ModemManager": "End it: sudo systemctl stop ModemManager."
    case "fixcast":
      "Where that is the daemon, leave out --source, or: sudo systemctl stop fixcast. Else end that "
        + "program: sudo kill \(holder.processID)."
    default: "End that program: sudo kill \(holder.processID)."
    }
  }

  /// The error in one line: what, where, and what to do.
  public var description: String {
    let number = errorNumber != 0 ? " (errno \(errorNumber))" : ""
    return "\(devnode): \(call): \(errorText)\(number). \(advice)"
  }
}
