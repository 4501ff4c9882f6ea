// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Settings
internal import WeatherFeature

/// A sink that can be asked for by name.
public struct SinkPlugin: Sendable {
  /// The name it is asked for by.
  public let name: String
  /// What it does, in a sentence.
  public let summary: String
  /// The keys it takes, those that every plugin takes apart.
  public let settings: [SettingDeclaration]
  /// What waits before it.
  public let mailbox: MailboxPolicy
  /// Whether the sink uses an event.
  ///
  /// By default readings of instruments take no room in its mailbox: the weather that is worked out
  /// from them comes as an `OutlookEvent`.
  public var takes: @Sendable (any PipelineEvent) -> Bool = { !($0 is InstrumentEvent) }
  /// The keys among them that say how long one call of it may take.
  public var callKeys: [String] = []
  /// What it puts behind its file's name, for files beside it.
  public var besides: [String] = []
  /// Makes one, which touches nothing before it starts; throws where the settings do not fit.
  public let make: @Sendable (SettingsTable, SinkContext) throws(SettingsError) -> any Sink
}
