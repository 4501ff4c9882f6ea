// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
public import WeatherClient

/// Reads the weather sensors of the board through the Linux Industrial I/O subsystem.
///
/// Reads all devices that measure pressure or humidity. A device that measures only temperature may
/// monitor a chip or a motor, and is therefore read only if its name is in a list of thermometers.
public struct IIOSensors: Sendable {
  /// The folder in sysfs that contains the devices.
  public static let folder = "/sys/bus/iio/devices"

  /// The maximum number of devices that are read.
  static let maxDevices = 64
  /// The maximum number of bytes read from an attribute.
  private static let maxBytes = 64

  private let root: String
  private let thermometers: Set<String>

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - root: The folder of the devices.
  ///   - thermometers: The names of devices that measure only the air temperature.
  public init(root: String = folder, thermometers: Set<String> = ["tmp117"]) {
    self.root = root
    self.thermometers = thermometers
  }

  /// Reads all weather sensors.
  ///
  /// Blocks for some milliseconds per sensor, since sensors are connected to a slow bus.
  ///
  /// - Parameter now: The current monotonic time, stored in `measuredAt`.
  /// - Returns: One reading for each sensor, in the order of the device numbers.
  public func read(now: MonotonicTime) -> [SensorReading] {
    devices().compactMap { read($0, now: now) }
  }

  private func read(_ device: String, now: MonotonicTime) -> SensorReading? {
    let folder = root + "/" + device
    let name = (try? Self.attribute(folder + "/name"))?.split(separator: "\n").first.map(
      String.init)
    var reading = SensorReading(name: name ?? device)
    reading.measuredAt = now
    var supported: Set<SensorFault.Quantity> = []
    for quantity in IIOQuantity.all {
      do throws(SensorFault.Reason) {
        let value = try quantity.measure { attribute throws(SensorFault.Reason) in
          try Self.attribute(folder + "/" + attribute)
        }
        guard let value else { continue }
        reading[keyPath: quantity.field] = value
      } catch {
        reading.faults.append(SensorFault(quantity.quantity, error))
      }
      supported.insert(quantity.quantity)
    }
    if supported.contains(.pressure) || supported.contains(.humidity) { return reading }
    return supported.contains(.temperature) && thermometers.contains(reading.name) ? reading : nil
  }

  /// Returns the folder names of the devices, sorted by number.
  private func devices() -> [String] {
    guard let folder = opendir(root) else { return [] }
    defer { closedir(folder) }
    var numbers: [Int] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let prefix = "iio:device"
      guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)), number >= 0
      else { continue }
      numbers.append(number)
    }
    return numbers.sorted().prefix(Self.maxDevices).map { "iio:device\($0)" }
  }

  /// Returns the text of an attribute, or `nil` if the file does not exist.
  private static func attribute(_ path: String) throws(SensorFault.Reason) -> String? {
    // Use O_NONBLOCK, in case the path is a FIFO or another file that would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOENT { return nil }
      throw .unreadable(code: code)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: maxBytes)
    var count = 0
    repeat {
      count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw .unreadable(code: errno) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
