// SPDX-License-Identifier: Apache-2.0

public import Pipeline

/// Tells the sinks of all that can be said of the weather where the board is, with a provider's
/// answer and without.
public struct OutlookEvent: PipelineEvent, Equatable {
  /// What can be said.
  public var outlook: WeatherOutlook

  /// Makes an event.
  ///
  /// - Parameter outlook: What can be said.
  public init(_ outlook: WeatherOutlook) { self.outlook = outlook }
}
