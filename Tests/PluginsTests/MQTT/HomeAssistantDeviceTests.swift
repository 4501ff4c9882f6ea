// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Plugins

/// The discovery message, checked against a schema written from Home Assistant 2025.4's
/// `components/mqtt/abbreviations.py`, its required keys, and the units of its device classes.
@Suite("Home Assistant discovery")
struct HomeAssistantDeviceTests {
  private static let deviceKeys: Set = ["ids", "name", "mf", "sn", "sw"]
  private static let commonKeys: Set = [
    "p", "uniq_id", "name", "json_attr_t", "ent_cat", "dev_cla", "exp_aft", "qos",
  ]
  private static let keys: [String: Set<String>] = [
    "device_tracker": ["p", "uniq_id", "name", "src_type", "json_attr_t", "qos"],
    "sensor": commonKeys.union([
      "stat_t", "val_tpl", "unit_of_meas", "stat_cla", "sug_dsp_prc", "options",
    ]),
    "binary_sensor": commonKeys.union(["stat_t", "val_tpl", "pl_on", "pl_off"]),
  ]
  private static let units: [String: String?] = [
    "speed": "m/s", "distance": "m", "temperature": "°C", "atmospheric_pressure": "hPa",
    "wind_speed": "m/s", "wind_direction": "°", "enum": nil, "timestamp": nil, "connectivity": nil,
  ]

  private func object(_ change: (inout MQTTBoardSettings) -> Void = { _ in }) throws -> [String:
    JSON]
  {
    var settings = MQTTBoardSettings(topics: MQTTTopics(prefix: "fixcast", board: "van"))
    change(&settings)
    let message = HomeAssistantDevice(settings).discovery(prefix: "homeassistant")
    #expect(message.topic == "homeassistant/device/fixcast_van/config" && message.isRetained)
    return try #require(JSONDecoder().decode(JSON.self, from: Data(message.payload)).object)
  }

  @Test func `the device and its entities have the required keys, and no keys besides those of a schema`() throws {
    let root = try object { $0.version = "1.2.3" }
    // Of these, Home Assistant 2025.4 applies only the availability to all entities.
    #expect(Set(root.keys) == ["dev", "o", "avty_t", "cmps"])
    #expect(root["avty_t"]?.text == "fixcast/van/availability")
    let device = try #require(root["dev"]?.object)
    #expect(Set(device.keys).isSubset(of: Self.deviceKeys) && device["ids"] != nil)
    #expect(device["sw"]?.text == "1.2.3")
    #expect(root["o"]?.object?["name"]?.text == "Fixcast")
    let components = try #require(root["cmps"]?.object)
    #expect(components.count == 14)
    var ids: Set<String> = []
    for (key, component) in components {
      let fields = try #require(component.object)
      let platform = try #require(fields["p"]?.text)
      let allowed = try #require(Self.keys[platform], "\(platform)")
      #expect(Set(fields.keys).isSubset(of: allowed), "\(key): \(fields.keys)")
      let id = try #require(fields["uniq_id"]?.text)
      #expect(ids.insert(id).inserted)
      #expect(fields["qos"]?.number == 1)
      #expect(fields["stat_t"]?.text != nil || platform == "device_tracker")
      if let deviceClass = fields["dev_cla"]?.text {
        let unit = try #require(Self.units[deviceClass], "\(deviceClass)")
        #expect(fields["unit_of_meas"]?.text == unit, "\(key)")
      }
      // Home Assistant rejects a state class with options, and options without the class enum.
      #expect((fields["options"] != nil) == (fields["dev_cla"]?.text == "enum"))
      if fields["options"] != nil { #expect(fields["stat_cla"] == nil) }
      if fields["stat_cla"]?.text == "measurement_angle" {
        #expect(fields["unit_of_meas"]?.text == "°")
      }
    }
  }

  @Test func `values of the position and the weather expire after three times their slowest interval`() throws {
    let components = try object {
      $0.rate.restIntervalSeconds = 100
      $0.weatherIntervalSeconds = 700
    }["cmps"]?.object
    #expect(components?["speed"]?.object?["exp_aft"]?.number == 300)
    #expect(components?["temperature"]?.object?["exp_aft"]?.number == 2100)
    #expect(components?["receiver"]?.object?["exp_aft"] == nil)
  }

  @Test func `without room for the whole device, each entity has a message with the same fields`() throws {
    var settings = MQTTBoardSettings(topics: MQTTTopics(prefix: "fixcast", board: "van"))
    settings.classes = [.position, .device]
    let message = HomeAssistantDevice(settings).discovery(prefix: "homeassistant")
    let components = try #require(
      JSONDecoder().decode(JSON.self, from: Data(message.payload)).object?["cmps"]?.object)
    #expect(message.parts.count == components.count)
    for part in message.parts {
      let names = part.topic.split(separator: "/").map(String.init)
      try #require(names.count == 5, "\(part.topic)")
      #expect(names[0] == "homeassistant" && names[2] == "fixcast_van" && names[4] == "config")
      let component = try #require(components[names[3]]?.object, "\(part.topic)")
      #expect(component["p"]?.text == names[1] && part.isRetained)
      guard component["uniq_id"] != nil else {
        #expect(part.payload.isEmpty, "\(part.topic)")
        continue
      }
      #expect(part.payload.count < 600, "\(part.topic)")
      let fields = try #require(
        JSONDecoder().decode(JSON.self, from: Data(part.payload)).object)
      #expect(
        Set(fields.keys) == Set(component.keys).subtracting(["p"]).union(["dev", "o", "avty_t"]))
      #expect(fields["uniq_id"]?.text == component["uniq_id"]?.text)
    }
  }

  @Test func `entities of classes that are not published have only a platform, which removes them`() throws {
    let components = try #require(try object { $0.classes = [.position] }["cmps"]?.object)
    #expect(components["wind"]?.object?.keys.sorted() == ["p"])
    #expect(components["receiver"]?.object?.keys.sorted() == ["p"])
    #expect(components["speed"]?.object?["uniq_id"]?.text == "fixcast_van_speed")
  }
}

/// A JSON value.
private enum JSON: Decodable {
  case null, object([String: JSON]), list([JSON]), text(String), number(Double)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode([String: JSON].self) {
      self = .object(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .list(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
}
