// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Receivers

/// Consistency of the receiver catalog with its folder and the udev rules.
@Suite struct ReceiverCatalogTests {
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A udev rule, with the name from the comment above it.
  private struct Rule: Equatable {
    var id: USBID
    var kind: String
    var name: String
  }

  private static func rules() throws -> [Rule] {
    let text = try String(
      contentsOf: package.appending(path: "udev/61-fixcast.rules"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let pattern =
      #/ATTRS\{idVendor\}=="([0-9a-f]{4})", ATTRS\{idProduct\}=="([0-9a-f]{4})", ENV\{ID_FIXCAST\}="([a-z]+)"/#
    return try zip(lines, lines.dropFirst()).compactMap { comment, line in
      guard !line.hasPrefix("#"), line.contains("idVendor") || line.contains("idProduct") else {
        return nil
      }
      let match = try #require(line.wholeMatch(of: pattern), "unexpected rule: \(line)")
      let id = try #require(USBID(vendor: String(match.1), product: String(match.2)))
      return Rule(id: id, kind: String(match.3), name: String(comment.dropFirst(2)))
    }
  }

  @Test func `the udev rules contain the catalog's receivers and candidates in the catalog's order`() throws {
    let expected = ReceiverCatalog.models.compactMap { model -> Rule? in
      switch model.kind {
      case .specific: Rule(id: model.id, kind: "receiver", name: model.name)
      case .candidate: Rule(id: model.id, kind: "candidate", name: model.name + ": candidate")
      // Modems are marked in 79-fixcast-modems.rules.
      case .modemPort: nil
      }
    }
    #expect(try Self.rules() == expected)
    #expect(expected.count == 16)
  }

  @Test func `every model is found by its ids and interfaces, and the ids are unique`() {
    for model in ReceiverCatalog.models {
      let interfaces: [UInt8?] =
        model.interfaceNumbers.isEmpty ? [nil, 0, 7] : model.interfaceNumbers
      for interface in interfaces {
        #expect(ReceiverCatalog.model(for: model.id, interface: interface) == model)
      }
      #expect(ReceiverCatalog.models.count { $0.id == model.id } == 1)
      if !model.interfaceNumbers.isEmpty {
        #expect(ReceiverCatalog.model(for: model.id, interface: 0x7F) == nil)
        #expect(ReceiverCatalog.model(for: model.id, interface: nil) == nil)
      }
    }
  }

  @Test func `the catalog contains each manufacturer that has a file in the folder Models`() throws {
    let folder = Self.package.appending(path: "Sources/Receivers/Models")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { $0.replacing(".swift", with: "") }
    let makers = Set(files).subtracting(["ReceiverModel", "ReceiverCatalog", "USBID"])
    let list = try String(
      contentsOf: folder.appending(path: "ReceiverCatalog.swift"), encoding: .utf8)
    let names = try #require(list.firstMatch(of: #/makers: \[\[ReceiverModel\]\] = \[([^\]]*)\]/#))
      .1
      .split { !$0.isLetter }.map { $0.lowercased() }
    #expect(Set(names) == Set(makers.map { $0.lowercased() }))
  }

  @Test(arguments: [("1546", "01a7", "1546:01a7"), ("067B", "2303", "067b:2303")])
  func `ids in the format of sysfs are parsed, and other texts are rejected`(
    vendor: String, product: String, text: String
  ) {
    #expect(USBID(vendor: vendor, product: product)?.description == text)
    for bad in ["", "1", "+546", "154g", "15461"] {
      #expect(USBID(vendor: bad, product: product) == nil)
    }
  }
}
