// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

extension DoctorSnapshot {
  /// The programs that take USB serial converters for devices other than receivers.
  package struct PortClaimants: Equatable, Sendable {
    /// The udev rules of brltty that match converters of receivers; `nil` if there are none.
    package var brlttyRules: String?
    /// Whether brltty, the program for Braille displays, is running.
    package var brlttyIsRunning = false
    /// The converters that a program uses without the kernel's driver, by vendor and product, so
    /// that they have no serial port.
    package var convertersWithoutPort: [String] = []
    /// Whether ModemManager is running.
    package var modemManagerIsRunning = false

    /// Creates a board without such programs.
    package init() {}
  }
}

/// Finds the programs that take USB serial converters.
///
/// `root` precedes all paths.
struct PortClaimantFinder {
  /// The vendor and product of the converters that brltty's rules match: CH340 and CP210x.
  static let converters = [("1a86", "7523"), ("10c4", "ea60")]
  /// The maximum number of files that are read in a folder.
  private static let maxNames = 4096

  let root: String

  var claimants: DoctorSnapshot.PortClaimants {
    var claimants = DoctorSnapshot.PortClaimants()
    let programs = runningPrograms
    claimants.brlttyRules = brlttyRules
    claimants.brlttyIsRunning = programs.contains("brltty")
    claimants.convertersWithoutPort = convertersWithoutPort
    claimants.modemManagerIsRunning = programs.contains("ModemManager")
    return claimants
  }

  /// Whether udev's database has a property that makes ModemManager ignore a device.
  static func isIgnored(_ devnode: String) -> Bool {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let number = UInt64(status.st_rdev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    return BoundedFile.text("/run/udev/data/c\(major):\(minor)").map(isIgnored(byProperties:))
      ?? false
  }

  /// Whether an entry of udev's database has a property that makes ModemManager ignore the device.
  static func isIgnored(byProperties text: String) -> Bool {
    text.split(separator: "\n").contains {
      $0 == "E:ID_MM_DEVICE_IGNORE=1" || $0 == "E:ID_MM_PORT_IGNORE=1"
    }
  }

  /// The path of the first active rules file of brltty that matches a converter.
  private var brlttyRules: String? {
    var seen: Set<String> = []
    for folder in DoctorSnapshot.ruleFolders {
      for name in names(in: folder) where name.contains("brltty") && name.hasSuffix(".rules") {
        // A file hides the files of the same name in folders of lower priority.
        guard seen.insert(name).inserted, let text = BoundedFile.text("\(root)\(folder)/\(name)")
        else { continue }
        if text.split(separator: "\n").contains(where: Self.matchesConverter) {
          return "\(folder)/\(name)"
        }
      }
    }
    return nil
  }

  /// Whether a line of a rules file matches a converter, by `PRODUCT` or by its attributes.
  private static func matchesConverter(_ line: Substring) -> Bool {
    let line = line.lowercased()
    guard let first = line.first(where: { $0 != " " && $0 != "\t" }), first != "#" else {
      return false
    }
    return converters.contains { vendor, product in
      line.contains("\(vendor)/\(product)")
        || line.contains("\"\(vendor)\"") && line.contains("\"\(product)\"")
    }
  }

  /// The converters whose interface is driven by `usbfs`, that is, by a program.
  private var convertersWithoutPort: [String] {
    let folder = "/sys/bus/usb/devices"
    return names(in: folder).filter { !$0.contains(":") }.sorted().compactMap { name in
      guard let vendor = line("\(folder)/\(name)/idVendor"),
        let product = line("\(folder)/\(name)/idProduct"),
        Self.converters.contains(where: { $0 == (vendor, product) }),
        target(of: "\(folder)/\(name):1.0/driver") == "usbfs"
      else { return nil }
      return "\(vendor):\(product)"
    }
  }

  /// The names of the running programs.
  private var runningPrograms: Set<String> {
    Set(
      names(in: "/proc").filter { $0.allSatisfy { ("0"..."9").contains($0) } }
        .compactMap { line("/proc/\($0)/comm") })
  }

  private func names(in folder: String) -> [String] {
    (try? FolderListing.names(in: root + folder, limit: Self.maxNames) { $0 != "." && $0 != ".." })
      ?? []
  }

  private func line(_ path: String) -> String? {
    BoundedFile.text(root + path)?.split(separator: "\n").first.map(String.init)
  }

  /// Returns the last component of a link's target.
  private func target(of path: String) -> String? {
    SymbolicLink.target(of: root + path)?.split(separator: "/").last.map(String.init)
  }
}
