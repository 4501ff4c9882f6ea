// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The description of a board for Home Assistant's device discovery.
///
/// Format: Home Assistant, "MQTT discovery", device discovery payload, with abbreviated keys.
struct HomeAssistantDevice {
  /// An entity.
  private struct Component {
    var key: StaticString
    var platform: StaticString = "sensor"
    /// The class of the object that the entity shows.
    var objectClass = EventSelection.Class.position
    /// `nil` for the name of the board.
    var name: String?
    /// The key of the value in the object; `nil` for an entity with attributes only.
    var value: String?
    var deviceClass: StaticString?
    var unit: StaticString?
    var stateClass: StaticString?
    var precision: Int?
    var isDiagnostic = false
  }

  private static let components = [
    Component(key: "position", platform: "device_tracker"),
    Component(
      key: "speed", name: "Speed", value: "speed", deviceClass: "speed", unit: "m/s",
      stateClass: "measurement", precision: 1),
    Component(
      key: "course", name: "Course", value: "course", unit: "°",
      stateClass: "measurement_angle", precision: 0),
    Component(
      key: "altitude", name: "Altitude", value: "altitude", deviceClass: "distance", unit: "m",
      stateClass: "measurement", precision: 0),
    Component(
      key: "accuracy", name: "Accuracy", value: "gps_accuracy", deviceClass: "distance", unit: "m",
      stateClass: "measurement", precision: 1, isDiagnostic: true),
    Component(
      key: "satellites", name: "Satellites", value: "satellites", stateClass: "measurement",
      isDiagnostic: true),
    Component(key: "fix", name: "Fix", value: "fix", deviceClass: "enum", isDiagnostic: true),
    Component(
      key: "last_fix", name: "Last fix", value: "time", deviceClass: "timestamp",
      isDiagnostic: true),
    Component(
      key: "temperature", objectClass: .weather, name: "Temperature", value: "temperature",
      deviceClass: "temperature", unit: "°C", stateClass: "measurement", precision: 1),
    Component(
      key: "pressure", objectClass: .weather, name: "Pressure", value: "pressure",
      deviceClass: "atmospheric_pressure", unit: "hPa", stateClass: "measurement", precision: 0),
    Component(
      key: "wind", objectClass: .weather, name: "Wind", value: "windSpeed",
      deviceClass: "wind_speed", unit: "m/s", stateClass: "measurement", precision: 1),
    Component(
      key: "wind_from", objectClass: .weather, name: "Wind from", value: "windDirection",
      deviceClass: "wind_direction", unit: "°", stateClass: "measurement_angle", precision: 0),
    Component(key: "condition", objectClass: .weather, name: "Condition", value: "condition"),
    Component(
      key: "receiver", platform: "binary_sensor", objectClass: .device, name: "Receiver",
      value: "receiver", deviceClass: "connectivity", isDiagnostic: true),
  ]

  private let settings: MQTTBoardSettings

  init(_ settings: MQTTBoardSettings) { self.settings = settings }

  private var topics: MQTTTopics { settings.topics }
  private var id: String { "fixcast_\(topics.name)" }

  /// Returns the discovery message, with one message per entity for brokers with a packet limit.
  ///
  /// An entity whose class is not published has only its platform, which removes the entity. Its own
  /// message is empty.
  func discovery(prefix: String) -> MQTTMessage {
    let payload = PositionPayload.object { line in
      appendDevice(to: &line)
      line.beginObject("cmps")
      for component in Self.components {
        line.beginObject(component.key)
        line.constant("p", component.platform)
        if isPublished(component) { append(component, to: &line) }
        line.endObject()
      }
      line.endObject()
    }
    let parts = Self.components.map { component in
      MQTTMessage(
        topic: "\(prefix)/\(component.platform)/\(id)/\(component.key)/config",
        payload: isPublished(component)
          ? PositionPayload.object { line in
            appendDevice(to: &line)
            append(component, to: &line)
          } : [], isOptional: true)
    }
    return MQTTMessage(
      topic: "\(prefix)/device/\(id)/config", payload: payload, isOptional: true, parts: parts)
  }

  private func isPublished(_ component: Component) -> Bool {
    settings.classes.contains(component.objectClass)
  }

  private func appendDevice(to line: inout JSONLine) {
    line.beginObject("dev")
    line.beginArray("ids")
    line.element(id)
    line.endArray()
    line.string("name", topics.name)
    line.constant("mf", "Fixcast")
    line.string("sn", topics.name)
    line.string("sw", settings.version)
    line.endObject()
    line.beginObject("o")
    line.constant("name", "Fixcast")
    line.endObject()
    line.string("avty_t", topics.availability)
  }

  private func append(_ component: Component, to line: inout JSONLine) {
    line.string("uniq_id", "\(id)_\(component.key)")
    // Home Assistant 2025.4 ignores the key at the root.
    line.integer("qos", 1)
    let topic =
      switch component.objectClass {
      case .position: topics.position
      case .weather: topics.weather
      default: topics.status
      }
    guard let value = component.value else {
      // The name of the device. Home Assistant reads the coordinates from the attributes.
      line.null("name")
      line.constant("src_type", "gps")
      line.string("json_attr_t", topic)
      return
    }
    line.string("name", component.name)
    line.string("stat_t", topic)
    line.string("val_tpl", "{{ value_json.\(value) | default(None) }}")
    if let deviceClass = component.deviceClass { line.constant("dev_cla", deviceClass) }
    if let unit = component.unit { line.constant("unit_of_meas", unit) }
    if let stateClass = component.stateClass { line.constant("stat_cla", stateClass) }
    line.integer("sug_dsp_prc", component.precision)
    if component.isDiagnostic { line.constant("ent_cat", "diagnostic") }
    switch value {
    case "fix":
      line.beginArray("options")
      for option in ["none", "2D", "3D"] { line.element(option) }
      line.endArray()
    case "condition": line.string("json_attr_t", topic)
    case "receiver":
      line.constant("pl_on", "connected")
      line.constant("pl_off", "disconnected")
    default: break
    }
    // Three times the slowest interval, at least a minute.
    switch component.objectClass {
    case .position: line.integer("exp_aft", Int(max(settings.rate.restIntervalSeconds * 3, 60)))
    case .weather: line.integer("exp_aft", Int(settings.weatherIntervalSeconds * 3))
    default: break
    }
  }
}
