// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A failure of a connection instead of, or during, a response.
enum ConnectionFault: CaseIterable {
  case bodyCutOff, resetBeforeResponse, resetInsideBody, notHTTP, closedWithoutResponse

  func script(_ body: String) -> LoopbackServer.Script {
    switch self {
    case .bodyCutOff:
      return .answer(
        bytes: Array(body.utf8.prefix(body.utf8.count / 2)), contentLength: body.utf8.count)
    case .resetBeforeResponse:
      return LoopbackServer.Script(pieces: [], resets: true)
    case .resetInsideBody:
      var script = LoopbackServer.Script.answer(
        bytes: Array(body.utf8.prefix(body.utf8.count / 2)), contentLength: body.utf8.count)
      script.resets = true
      return script
    case .notHTTP:
      return LoopbackServer.Script(pieces: [Array("220 ready\r\n\r\n".utf8)])
    case .closedWithoutResponse:
      return LoopbackServer.Script(pieces: [])
    }
  }
}

/// A change of all values of some types in a JSON document.
enum Mutation: Sendable {
  case numbersBecomeLists, everythingNull, textsBecomeNumbers, numbersMissing

  func applied(to json: String) -> String {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json.utf8)),
      let data = try? JSONSerialization.data(withJSONObject: changed(value))
    else { return json }
    return String(decoding: data, as: UTF8.self)
  }

  private func changed(_ value: Any) -> Any {
    switch (value, self) {
    case (let object as [String: Any], _): object.mapValues(changed)
    case (let list as [Any], _): list.map(changed)
    case (_, .everythingNull): NSNull()
    case (is String, .textsBecomeNumbers): 7
    case (is NSNumber, .numbersBecomeLists): [7]
    case (is NSNumber, .numbersMissing): -999
    default: value
    }
  }
}
