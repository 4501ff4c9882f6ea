// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A decoded `SKY` object.
struct SkyWire: Decodable {
  struct Member: Decodable {
    var gnssid: UInt8?
    var svid: UInt8?
    var sigid: UInt8?
    var el: Double?
    var az: Double?
    var ss: Double?
    var used: Bool?

    var satellite: Satellite? {
      guard let system = gnssid.flatMap(SatelliteID.System.init), let svid else { return nil }
      var satellite = Satellite(
        id: SatelliteID(system: system, number: svid), rawNumber: UInt16(svid))
      satellite.signal = sigid
      satellite.elevationDegrees = el
      satellite.azimuthDegrees = az
      satellite.signalToNoiseDBHz = ss
      satellite.isUsed = used ?? false
      return satellite
    }
  }

  var device: String?
  var time: String?
  var satellites: [Member]?
  var xdop: Double?
  var ydop: Double?
  var vdop: Double?
  var tdop: Double?
  var hdop: Double?
  var pdop: Double?
  var simulated: Bool?
  var replayed: Bool?

  func sky(now: MonotonicTime?) -> SkyView {
    var dilution = Dilution()
    dilution.x = xdop
    dilution.y = ydop
    dilution.horizontal = hdop
    dilution.vertical = vdop
    dilution.position = pdop
    dilution.time = tdop
    var sky = SkyView(
      time: time.flatMap(WireTime.read), satellites: (satellites ?? []).compactMap(\.satellite),
      dilution: dilution)
    sky.source = device
    sky.isSimulated = simulated ?? false
    sky.isReplayed = replayed ?? false
    sky.receivedAt = now
    return sky
  }
}
