// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
package import Pipeline
internal import Positioning
internal import WeatherFeature

/// A plugin that can be configured by name.
package struct Plugin: Sendable {
  /// Makes an instance, which opens nothing before it runs; throws where the settings do not fit.
  package typealias Make<Instance> =
    @Sendable (SettingsTable, PluginContext) throws(SettingsError) -> Instance

  /// Makes what says whether a sink uses an event.
  package typealias Takes =
    @Sendable (PluginContext) -> @Sendable (any PipelineEvent) -> Bool

  private enum Maker: Sendable {
    case gate(Make<any Gate>)
    case stage(Make<any Stage>)
    case sink(Make<any Sink>)
  }

  /// The facts that reading its settings needs.
  package let description: PluginDescription
  private let mailbox: MailboxPolicy?
  private let takes: Takes?
  private let maker: Maker

  private init(
    _ name: String, _ role: PluginRole, _ summary: String, _ settings: [SettingDeclaration],
    besides: [String] = [], needsWeather: Bool = false, callKeys: [String] = [],
    mailbox: MailboxPolicy? = nil, takes: Takes? = nil, _ maker: Maker
  ) {
    self.mailbox = mailbox
    self.takes = takes
    self.maker = maker
    description = PluginDescription(
      type: name, role: role, summary: summary, settings: settings, besides: besides,
      needsWeather: needsWeather, callKeys: callKeys,
      timeout: PluginSpecification.standardTimeout(role)
    ) { settings throws(SettingsError) in
      // Never run: making a plugin touches nothing.
      let context = PluginContext(now: { .init(nanoseconds: 0) })
      switch maker {
      case .gate(let make): _ = try make(settings, context)
      case .stage(let make): _ = try make(settings, context)
      case .sink(let make): _ = try make(settings, context)
      }
    }
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

  /// A sink; `besides` are suffixes of files that it creates beside its own.
  ///
  /// By default it takes no readings of instruments: the weather that is worked out from them comes
  /// as an `OutlookEvent`.
  static func sink(
    _ name: String, _ summary: String, _ settings: [SettingDeclaration] = [],
    mailbox: MailboxPolicy, takes: @escaping Takes = { _ in { !($0 is InstrumentEvent) } },
    besides: [String] = [], callKeys: [String] = [], make: @escaping Make<any Sink>
  ) -> Plugin {
    Plugin(
      name, .sink, summary, settings, besides: besides, callKeys: callKeys, mailbox: mailbox,
      takes: takes, .sink(make))
  }

  /// The name it is configured by.
  package var name: String { description.type }
  /// The keys it takes, without those that every plugin takes.
  package var settings: [SettingDeclaration] { description.settings }

  /// Describes the plugin for a pipeline.
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
    if let takes { specification.takes = takes(context) }
    return specification
  }
}

extension MailboxPolicy {
  /// The newest 1024 events, for a sink that follows along.
  static let following = MailboxPolicy.dropOldest(limit: 1024)

  /// An hour of locations at one a second, for a track: some megabytes while nothing can be written.
  static let track = MailboxPolicy.dropNewest(limit: 3600)

  /// For a sink that reports trouble.
  static let alerts = MailboxPolicy.neverDrop(limit: 1024)
}
