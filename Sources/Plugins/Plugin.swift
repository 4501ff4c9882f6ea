// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
package import Pipeline
internal import Positioning
internal import WeatherFeature

/// A plugin in the catalogue, which a configuration refers to by name.
package struct Plugin: Sendable {
  /// Creates an instance without opening anything; throws if the settings are invalid.
  package typealias Make<Instance> =
    @Sendable (SettingsTable, PluginContext) throws(SettingsError) -> Instance

  /// Creates the filter that decides which events a sink receives.
  package typealias MakeFilter =
    @Sendable (PluginContext) -> @Sendable (any PipelineEvent) -> Bool

  private enum Maker: Sendable {
    case gate(Make<any Gate>)
    case stage(Make<any Stage>)
    case sink(Make<any Sink>)
  }

  /// The description that the configuration reader needs.
  package let description: PluginDescription
  private let mailbox: MailboxPolicy?
  private let makeFilter: MakeFilter?
  private let maker: Maker

  private init(
    _ name: String, _ role: PluginRole, _ summary: String, _ settings: [SettingDeclaration],
    extraSuffixes: [String] = [], needsWeather: Bool = false, callKeys: [String] = [],
    mailbox: MailboxPolicy? = nil, makeFilter: MakeFilter? = nil,
    warning: @escaping PluginDescription.Warning = { _ in nil }, _ maker: Maker
  ) {
    self.mailbox = mailbox
    self.makeFilter = makeFilter
    self.maker = maker
    var description = PluginDescription(
      type: name, role: role, summary: summary, settings: settings, extraSuffixes: extraSuffixes,
      needsWeather: needsWeather, callKeys: callKeys,
      timeout: PluginSpecification.standardTimeout(role)
    ) { settings throws(SettingsError) in
      // Create an instance to validate the settings. This opens no files, and the instance is
      // discarded.
      let context = PluginContext(now: { .init(nanoseconds: 0) })
      switch maker {
      case .gate(let make): _ = try make(settings, context)
      case .stage(let make): _ = try make(settings, context)
      case .sink(let make): _ = try make(settings, context)
      }
    }
    description.warning = warning
    self.description = description
  }

  static func gate(
    _ name: String, _ summary: String, _ settings: [SettingDeclaration],
    needsWeather: Bool = false, make: @escaping Make<any Gate>
  ) -> Plugin {
    Plugin(name, .gate, summary, settings, needsWeather: needsWeather, .gate(make))
  }

  static func stage(
    _ name: String, _ summary: String, _ settings: [SettingDeclaration] = [],
    needsWeather: Bool = false, callKeys: [String] = [], make: @escaping Make<any Stage>
  ) -> Plugin {
    Plugin(
      name, .stage, summary, settings, needsWeather: needsWeather, callKeys: callKeys, .stage(make))
  }

  /// Creates the catalogue entry of a sink.
  ///
  /// `extraSuffixes` are the suffixes of additional files that the sink creates. `warning` returns
  /// a warning about valid settings. The default filter rejects instrument readings, since a sink
  /// receives the resulting weather as an `OutlookEvent`.
  static func sink(
    _ name: String, _ summary: String, _ settings: [SettingDeclaration] = [],
    mailbox: MailboxPolicy,
    makeFilter: @escaping MakeFilter = { _ in { !($0 is InstrumentEvent) } },
    extraSuffixes: [String] = [], callKeys: [String] = [],
    warning: @escaping PluginDescription.Warning = { _ in nil }, make: @escaping Make<any Sink>
  ) -> Plugin {
    Plugin(
      name, .sink, summary, settings, extraSuffixes: extraSuffixes, callKeys: callKeys,
      mailbox: mailbox, makeFilter: makeFilter, warning: warning, .sink(make))
  }

  /// The name in the configuration.
  package var name: String { description.type }
  /// The plugin's own keys, excluding the keys that all plugins have.
  package var settings: [SettingDeclaration] { description.settings }

  /// Creates the plugin's specification for a pipeline.
  package func specification(
    _ settings: SettingsTable, _ context: PluginContext
  ) -> PluginSpecification {
    let maker: PluginSpecification.Maker =
      switch maker {
      case .gate(let make): .gate { try make(settings, context) }
      case .stage(let make): .stage { try make(settings, context) }
      case .sink(let make): .sink { try make(settings, context) }
      }
    var specification = PluginSpecification(
      context.name ?? name, maker, settings: settings, mailbox: mailbox)
    if let makeFilter { specification.takes = makeFilter(context) }
    return specification
  }
}

extension MailboxPolicy {
  /// Keeps the newest 1024 events, for a sink with continuous output.
  static let following = MailboxPolicy.dropOldest(limit: 1024)

  /// Keeps up to one hour of locations at one per second (a few megabytes) while a track cannot be
  /// written.
  static let track = MailboxPolicy.dropNewest(limit: 3600)

  /// Never drops alerts, for a sink that reports failures.
  static let alerts = MailboxPolicy.keepAlerts(limit: 1024)
}
