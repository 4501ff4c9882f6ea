// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import PathMonitorClient
internal import Pipeline
internal import Plugins
internal import Positioning
internal import WeatherClient
internal import WeatherClientLive
internal import WeatherFeature

extension ConfigurationCatalog {
  /// What this program can be told.
  package static var known: ConfigurationCatalog {
    ConfigurationCatalog(
      plugins: gates + stages + sinks, providers: providers,
      reservedNames: [ClientsSink.sinkName, OutlookReporter.sinkName, Daemon.journalName])
  }

  private static var gates: [PluginDescription] {
    PluginCatalog.gates.map { gate in
      PluginDescription(
        type: gate.name, role: .gate, summary: gate.summary, settings: gate.settings,
        needsWeather: gate.name == ReachabilityGate.name,
        timeout: PluginSpecification.standardTimeout(.gate)
      ) { settings throws(SettingsError) in
        _ = try gate.make(settings, .checking)
      }
    }
  }

  private static var stages: [PluginDescription] {
    PluginCatalog.stages.map { stage in
      PluginDescription(
        type: stage.name, role: .stage, summary: stage.summary, settings: stage.settings,
        needsWeather: stage.name == WeatherStagePlugin.plugin.name, callKeys: stage.callKeys,
        timeout: PluginSpecification.standardTimeout(.stage)
      ) { settings throws(SettingsError) in
        _ = try stage.make(settings, .checking)
      }
    }
  }

  private static var sinks: [PluginDescription] {
    PluginCatalog.sinks.map { sink in
      PluginDescription(
        type: sink.name, role: .sink, summary: sink.summary, settings: sink.settings,
        besides: sink.besides,
        callKeys: sink.callKeys, timeout: PluginSpecification.standardTimeout(.sink)
      ) { settings throws(SettingsError) in
        _ = try sink.make(settings, .checking)
      }
    }
  }

  private static var providers: [Provider] {
    WeatherCatalog.providers.map { kind in
      Provider(name: kind.name) { weather, provider in
        // Any key does here: only whether there is one counts.
        let configuration = WeatherProviderConfiguration(
          baseURL: provider.baseURL, key: provider.hasKey ? "key" : nil, contact: weather.contact,
          gridDecimals: weather.gridDecimals)
        do throws(WeatherError) {
          _ = try kind.init(configuration)
          return nil
        } catch {
          return lack(error, of: kind.name)
        }
      }
    }
  }

  private static func lack(_ error: WeatherError, of name: String) -> String {
    guard case .misconfigured(let what) = error else { return error.description }
    if what.contains("contact") { return what + "; write contact = \"you@example.org\"" }
    return what.contains("key")
      ? what + "; name its file as key_file below [weather.\(name)]" : what
  }
}

// What is made to be checked never runs: making a plugin touches nothing.

extension GateContext {
  fileprivate static var checking: GateContext {
    GateContext(now: { MonotonicTime(nanoseconds: 0) }, monitor: .satisfied)
  }
}

extension StageContext {
  fileprivate static var checking: StageContext {
    StageContext(client: .empty, now: { MonotonicTime(nanoseconds: 0) })
  }
}

extension SinkContext {
  fileprivate static var checking: SinkContext {
    SinkContext(write: { _ in }, now: { MonotonicTime(nanoseconds: 0) })
  }
}
