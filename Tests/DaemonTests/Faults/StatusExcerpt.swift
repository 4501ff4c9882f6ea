// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Pipeline
import Receivers

@testable import Daemon

/// The part of the JSON status that is compared with the report.
struct StatusExcerpt: Decodable, Equatable {
  struct Part: Decodable, Equatable {
    var name: String
    var state: String
    var errors: UInt64
    var restarts: UInt64
    var lastError: String?
  }

  struct Path: Decodable, Equatable { var status: String }
  struct Configuration: Decodable, Equatable { var wrong: [String] }

  var source: Part
  var plugins: [Part]
  var path: Path?
  var configuration: Configuration

  init(_ report: DaemonReport) {
    source = Part(
      name: report.source.name, state: report.source.state.rawValue,
      errors: report.source.errorCount, restarts: report.source.diagnosis.restartCount,
      lastError: report.source.lastError)
    plugins = report.plugins.map { plugin in
      Part(
        name: plugin.name, state: plugin.state.rawValue, errors: plugin.errorCount,
        restarts: plugin.restartCount, lastError: plugin.lastError?.description)
    }
    path = report.path.map { Path(status: $0.status.rawValue) }
    configuration = Configuration(wrong: report.configurationErrors)
  }
}
