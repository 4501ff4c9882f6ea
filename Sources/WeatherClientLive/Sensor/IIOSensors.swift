// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
public import WeatherClient

/// The board's own weather sensors: those that Linux' Industrial I/O knows.
///
/// A device counts that measures pressure or humidity. A temperature alone may be that of a chip,
/// of a motor, of anything: it is the air's only where the device's name says so.
public struct IIOSensors: Sendable {
  /// Where the kernel has its devices.
  public static let folder = "/sys/bus/iio/devices"

  /// How many devices are looked at.
  static let maxDevices = 64
  /// How much of an attribute is read: no number takes more.
  private static let maxBytes = 64

  private let root: String
  private let thermometers: Set<String>

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - root: The folder of the devices.
  ///   - thermometers: The names of devices that measure nothing but the air's temperature.
  public init(root: String = folder, thermometers: Set<String> = ["tmp117"]) {
    self.root = root
    self.thermometers = thermometers
  }

  /// Reads all weather sensors, which takes some milliseconds each: the kernel asks them over a
  /// slow bus.
  ///
  /// - Parameter now: The present reading of the clock that ages are counted by.
  /// - Returns: What each says, by the devices' numbers; none where there is no sensor.
  public func read(now: MonotonicTime) -> [SensorReading] {
    devices().compactMap { read($0, now: now) }
  }

  private func read(_ device: String, now: MonotonicTime) -> SensorReading? {
    let folder = root + "/" + device
    let name = (try? Self.attribute(folder + "/name"))?.split(separator: "\n").first.map(
      String.init)
    var reading = SensorReading(name: name ?? device)
    reading.measuredAt = now
    var measured: Set<SensorFault.Quantity> = []
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
      measured.insert(quantity.quantity)
    }
    if measured.contains(.pressure) || measured.contains(.humidity) { return reading }
    return measured.contains(.temperature) && thermometers.contains(reading.name) ? reading : nil
  }

  /// The names of the devices' folders, by number.
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

  /// The text of an attribute; `nil` where there is none of that name.
  private static func attribute(_ path: String) throws(SensorFault.Reason) -> String? {
    // Not to wait, should it be something else than an attribute.
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
