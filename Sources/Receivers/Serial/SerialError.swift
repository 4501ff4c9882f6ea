// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// A failure to open or read a serial receiver.
public struct SerialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The category of a failure.
  public enum Kind: Equatable, Sendable {
    /// The devnode cannot be opened.
    case open
    /// Other programs have the port open. The list is empty if the programs are unknown.
    case busy([PortHolders.Holder])
    /// The port is open but cannot be configured as a raw serial line.
    case configure
    /// Linux or the port does not support the baud rate.
    case speed(baud: Int)
    /// Reading failed.
    case read
    /// The receiver was unplugged or switched off, or the other end of the line was closed.
    case hangUp
    /// The receiver sends a binary protocol and no NMEA sentences.
    case binaryOnly(BinaryProtocol)
    /// No usual baud rate yielded two valid sentences, so no receiver was found.
    case noReceiver
    /// The process has no thread or file descriptor left, or the system has no pseudo-terminal.
    case resources
  }

  /// The category of the failure.
  public let kind: Kind
  /// The devnode.
  public let devnode: String
  /// The system call that failed.
  public let call: String
  /// The `errno` of the call; 0 if the call did not fail, as at end of file.
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

  /// The cause as text, without devnode and remedy.
  public var errorText: String {
    if case .busy(let holders) = kind, !holders.isEmpty {
      return holders.map { "\($0.program) (pid \($0.processID))" }.joined(separator: ", ")
        + (holders.count == 1 ? " holds it" : " hold it")
    }
    if errorNumber != 0 { return SystemCallFailure.text(for: errorNumber) }
    if case .speed(let baud) = kind { return "\(baud) baud is not supported" }
    if case .binaryOnly(let found) = kind { return "receiving \(found.rawValue) and no NMEA" }
    if case .noReceiver = kind { return "no valid NMEA sentences at any usual baud rate" }
    return "end of file"
  }

  /// The remedy.
  public var advice: String {
    switch (kind, errorNumber) {
    case (.hangUp, _): "the receiver was disconnected, plug it in again"
    case (.binaryOnly(.rtcm3), _):
      "configure the receiver to send NMEA; these are corrections for other receivers"
    case (.binaryOnly, _): "gpsd supports this protocol; use gpsd as the source"
    case (.noReceiver, _): "check that a GPS receiver is connected and switched on"
    case (.speed, _): "use a supported baud rate, such as 4800, 9600, 38400 or 115200"
    case (.open, EACCES): NodeGroup(of: devnode).advice
    // A missing permission for the devnode causes EACCES. EPERM is usually the device filter of a
    // control group.
    case (.open, EPERM): Self.deviceFilterAdvice(major: OpenDevice.majorNumber(of: devnode))
    case (.open, ENOENT) where devnode.contains("@"):
      "after @, only a baud rate such as 9600 can follow; list the devices: fixcast devices"
    case (.open, ENOENT), (.open, ENXIO), (.open, ENODEV): Self.plugAdvice
    case (.busy(let holders), _): Self.advice(against: holders, devnode)
    case (.configure, ENOTTY): "not a serial device, specify the devnode of a receiver"
    // openpty(3) fails so if devpts is not mounted, as in some containers.
    case (.resources, ENODEV), (.resources, ENOENT):
      "there are no pseudo-terminals; mount them: sudo mount -t devpts devpts /dev/pts"
    case (.resources, ENOSPC):
      "all pseudo-terminals are in use; raise their limit: sudo sysctl kernel.pty.max=8192"
    case (.resources, _): "raise the limit of open files or threads of the service"
    default: "unplug the receiver and plug it in again; check dmesg for the cause"
    }
  }

  private static let plugAdvice = "plug the receiver in, then list the devices: fixcast devices"

  /// The remedy for a device that a device filter refuses, such as the filter of a systemd unit.
  static func deviceFilterAdvice(major: UInt64?) -> String {
    guard let major else { return plugAdvice }
    // The kernel may give such a number to another driver after the next start of the system.
    guard !(234...254).contains(major), !(384...511).contains(major) else {
      return "if its driver was loaded after the service started: sudo systemctl restart fixcast; "
        + "otherwise put DeviceAllow=char-NAME rw, with the name of the driver \(major) in "
        + "/proc/devices, below [Service] in: sudo systemctl edit fixcast"
    }
    return "the service or container may not open devices of its driver; for the service, put "
      + "DeviceAllow=char-\(major) rw below [Service] in: sudo systemctl edit fixcast, then: "
      + "sudo systemctl restart fixcast"
  }

  private static func advice(
    against holders: [PortHolders.Holder], _ devnode: String
  ) -> String {
    guard let holder = holders.first(where: { $0.program == "gpsd" }) ?? holders.first else {
      return "another program has it open, such as gpsd, ModemManager or the Fixcast daemon: "
        + "sudo fuser -v \(devnode)"
    }
    return switch holder.program {
    case "gpsd": "use --source gpsd, or stop gpsd: sudo systemctl stop gpsd.socket gpsd"
    case "ModemManager": "stop ModemManager: sudo systemctl disable --now ModemManager"
    case "brltty":
      "stop brltty, the program for Braille displays: sudo systemctl disable --now brltty"
    case "fixcast":
      "if it is the daemon, leave out --source, or stop it: sudo systemctl stop fixcast; otherwise "
        + "stop the program: sudo kill \(holder.processID)"
    default: "stop the program: sudo kill \(holder.processID)"
    }
  }

  /// The error and its remedy in one line.
  public var description: String {
    let number = errorNumber != 0 ? " (errno \(errorNumber))" : ""
    return "\(devnode): \(call): \(errorText)\(number); \(advice)"
  }
}
