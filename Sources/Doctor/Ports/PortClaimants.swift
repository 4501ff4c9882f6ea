// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

extension DoctorSnapshot {
  /// The programs that take USB serial converters for devices other than receivers.
  package struct PortClaimants: Equatable, Sendable {
    /// A file with udev rules of brltty.
    package struct BrlttyRules: Equatable, Sendable {
      package var path: String
      /// The chips of the converters that the rules give to brltty.
      package var chips: [String]
    }

    /// The udev rules of brltty that match converters of receivers; `nil` if there are none.
    package var brlttyRules: BrlttyRules?
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
  /// The vendor, product and chip of the converters that are in Braille displays and in receivers.
  private static let converters = [
    ("0403", "6001", "FT232R"), ("10c4", "ea60", "CP210x"), ("1a86", "7523", "CH340"),
  ]
  /// The manufacturers that chips report unless the maker of the device changes the name.
  private static let chipManufacturers = ["ftdi", "silicon labs"]
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

  /// The first active rules file of brltty that matches a converter.
  private var brlttyRules: DoctorSnapshot.PortClaimants.BrlttyRules? {
    var seen: Set<String> = []
    for folder in DoctorSnapshot.ruleFolders {
      for name in names(in: folder) where name.contains("brltty") && name.hasSuffix(".rules") {
        // A file hides the files of the same name in folders of lower priority.
        guard seen.insert(name).inserted, let text = BoundedFile.text("\(root)\(folder)/\(name)")
        else { continue }
        let lines = text.split(separator: "\n").compactMap(Self.brlttyMatch)
        let chips = Self.converters.filter { vendor, product, _ in
          lines.contains { $0.contains("\"\(Self.hex(vendor))/\(Self.hex(product))/") }
        }.map(\.2)
        if !chips.isEmpty { return .init(path: "\(folder)/\(name)", chips: chips) }
      }
    }
    return nil
  }

  /// Returns a line in lower case if it gives devices to brltty by their chip alone.
  ///
  /// Such a line is `ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO=...`. A line
  /// that also matches attributes is for one display, unless the attribute is the chip's default.
  private static func brlttyMatch(_ line: Substring) -> String? {
    let line = line.lowercased()
    let driver = #"env{brltty_braille_driver}=""#
    guard line.first(where: { $0 != " " && $0 != "\t" }) != "#",
      line.contains(driver), !line.contains(driver + "\"")
    else { return nil }
    let isForChip =
      !line.contains("attr")
      || chipManufacturers.contains { line.contains("attrs{manufacturer}==\"\($0)\"") }
    return isForChip ? line : nil
  }

  /// Removes the leading zeros, which the kernel's `PRODUCT` lacks.
  private static func hex(_ number: String) -> Substring { number.drop { $0 == "0" } }

  /// The converters whose interface is driven by `usbfs`, that is, by a program.
  private var convertersWithoutPort: [String] {
    let folder = "/sys/bus/usb/devices"
    return names(in: folder).filter { !$0.contains(":") }.sorted().compactMap { name in
      guard let vendor = line("\(folder)/\(name)/idVendor"),
        let product = line("\(folder)/\(name)/idProduct"),
        Self.converters.contains(where: { $0.0 == vendor && $0.1 == product }),
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
