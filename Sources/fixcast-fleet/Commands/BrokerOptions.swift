// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import MQTTClient
import SystemSupport

/// The options for the MQTT broker.
struct BrokerOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "Broker, mqtt://HOST or mqtts://HOST with TLS; repeat for the nodes of a cluster.",
    transform: { text in
      guard let address = BrokerAddress(text) else {
        throw ValidationError("expected mqtt://HOST or mqtts://HOST, with :PORT if needed")
      }
      return address
    })
  var broker: [BrokerAddress]

  @Option(name: .long, help: "User name at the broker.")
  var username: String?

  @Option(name: .long, help: "File with the password at the broker.", completion: .file())
  var passwordFile: String?

  @Option(
    name: .long, help: "Certificates that may sign the broker's (default: those of the system).",
    completion: .file())
  var tlsCaFile: String?

  func validate() throws {
    guard passwordFile != nil else { return }
    if username == nil { throw ValidationError("--password-file needs --username") }
    if broker.contains(where: { !$0.isSecure && !$0.server.host.isLoopback }) {
      throw ValidationError("the password would be sent without encryption; use mqtts://")
    }
  }

  /// Returns the settings, or ends the command if a certificate cannot be read.
  func settings() throws -> BrokerSettings {
    let settings = BrokerSettings(
      addresses: broker, username: username, passwordFile: passwordFile, caFile: tlsCaFile)
    do throws(MQTTFailure) {
      _ = try settings.tls()
      _ = try settings.password()
    } catch { throw FleetFailure.configuration(error.text) }
    return settings
  }
}
