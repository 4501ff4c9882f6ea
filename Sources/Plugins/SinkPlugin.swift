// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
package import Pipeline
internal import WeatherFeature

/// A sink that can be asked for by name.
package struct SinkPlugin: Sendable {
  /// The name it is asked for by.
  package let name: String
  /// What it does, in a sentence.
  package let summary: String
  /// The keys it takes, those that every plugin takes apart.
  package let settings: [SettingDeclaration]
  /// What waits before it.
  package let mailbox: MailboxPolicy
  /// Whether the sink uses an event.
  ///
  /// By default readings of instruments take no room in its mailbox: the weather that is worked out
  /// from them comes as an `OutlookEvent`.
  package var takes: @Sendable (any PipelineEvent) -> Bool = { !($0 is InstrumentEvent) }
  /// The keys among them that say how long one call of it may take.
  package var callKeys: [String] = []
  /// What it puts behind its file's name, for files beside it.
  package var besides: [String] = []
  /// Makes one, which touches nothing before it starts; throws where the settings do not fit.
  package let make: @Sendable (SettingsTable, SinkContext) throws(SettingsError) -> any Sink
}
