// SPDX-License-Identifier: Apache-2.0

public import Pipeline

/// What there is to be configured.
public struct ConfigurationCatalog: Sendable {
  /// A weather provider, as far as its settings go.
  public struct Provider: Sendable {
    /// What it is asked for by.
    public let name: String
    /// What it lacks; `nil` where it can be used.
    ///
    /// Touches nothing.
    public let lack: @Sendable (WeatherSettings, WeatherSettings.Provider) -> String?

    /// Describes a provider.
    ///
    /// - Parameters:
    ///   - name: What it is asked for by.
    ///   - lack: What it lacks to be used with some settings.
    public init(
      name: String,
      lack: @escaping @Sendable (WeatherSettings, WeatherSettings.Provider) -> String? = { _, _ in
        nil
      }
    ) {
      self.name = name
      self.lack = lack
    }
  }

  /// The plugins.
  public let plugins: [PluginDescription]
  /// The weather providers, the one that is asked by default first.
  public let providers: [Provider]
  /// The types of the plugins of a role that run where no file names one of that role.
  public let standard: [PluginRole: [String]]

  /// The names of parts of the daemon's own, which nothing else can have.
  public let reservedNames: [String]

  /// Lists what there is.
  ///
  /// - Parameters:
  ///   - plugins: The plugins.
  ///   - providers: The weather providers, the one that is asked by default first.
  ///   - standard: The types of the plugins that run where no file names one of their role; those
  ///     that need weather are left out where it is off, and so is what `plugins` does not hold.
  ///   - reservedNames: The names of parts of the daemon's own.
  public init(
    plugins: [PluginDescription], providers: [Provider],
    standard: [PluginRole: [String]] = [.stage: ["place", "weather"]],
    reservedNames: [String] = []
  ) {
    self.plugins = plugins
    self.providers = providers
    self.standard = standard
    self.reservedNames = reservedNames
  }

  func plugin(_ type: String, _ role: PluginRole) -> PluginDescription? {
    plugins.first { $0.type == type && $0.role == role }
  }

  /// The plugins of a role.
  public func plugins(_ role: PluginRole) -> [PluginDescription] {
    plugins.filter { $0.role == role }
  }
}
