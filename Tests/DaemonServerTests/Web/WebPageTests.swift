// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import NIOHTTP1
import Testing

@testable import DaemonServer

@Suite("Files of the status page") struct WebPageTests {
  private static let paths = ["/fixcast.css", "/fixcast.js", "/coastline.bin", "/v1/openapi.json"]

  private func response(
    _ path: String, _ fields: (String, String)...
  ) throws -> (head: String, body: [UInt8]) {
    let file = try #require(WebPage.file(path[...]))
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: path, headers: HTTPHeaders(fields))
    let pieces = HTTPAnswer.file(file, to: head)
    return (String(decoding: pieces[0], as: UTF8.self), Array(pieces.dropFirst().joined()))
  }

  private func field(_ name: String, _ head: String) -> String? {
    head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }

  @Test(arguments: paths)
  func `a file is sent compressed, or as it is to clients that do not accept gzip`(path: String) async throws {
    let (head, body) = try response(path, ("Accept-Encoding", "gzip, deflate, br"))
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("Content-Encoding: gzip\r\n"))
    #expect(field("Content-Length", head) == "\(body.count)")
    #expect(field("Cache-Control", head) == "no-cache")
    #expect(field("Vary", head) == "Accept-Encoding")
    let (plainHead, plain) = try response(path)
    #expect(!plainHead.contains("Content-Encoding"))
    #expect(field("ETag", head) != field("ETag", plainHead))
    let folder = try ScratchFolder()
    try folder.write("a.gz", bytes: body)
    let (lines, code) = try await ChildProcess.run(
      path: "/bin/sh", arguments: ["-c", "gunzip -c \(folder.path)/a.gz | wc -c"])
    #expect(code == 0 && lines.first?.filter(\.isNumber) == "\(plain.count)", "\(lines)")
    for refusal in ["gzip;q=0", "br, gzip; q=0.0", "identity", "x-gzip-like"] {
      #expect(try !response(path, ("Accept-Encoding", refusal)).head.contains("gzip\r\n"))
    }
  }

  @Test(arguments: paths)
  func `a client that has the file gets no body`(path: String) throws {
    let head = try response(path, ("Accept-Encoding", "gzip")).head
    let tag = try #require(field("ETag", head))
    for known in [tag, "W/\(tag)", "\"other\", \(tag)"] {
      let (head, body) = try response(
        path, ("Accept-Encoding", "gzip"), ("If-None-Match", known))
      #expect(head.hasPrefix("HTTP/1.1 304 Not Modified\r\n") && body.isEmpty, "\(known)")
      #expect(!head.contains("Content-Length") && field("ETag", head) == tag)
    }
    #expect(try response(path, ("If-None-Match", tag)).head.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `the page, its style and its script have at most 60 kB`() throws {
    let files = try Self.paths.map { path in try #require(WebPage.file(path[...])) }
    let compressed = files.prefix(2).reduce(0) { $0 + $1.compressed.joined().count }
    #expect(compressed + WebPage.index(state: "").count <= 60_000)
  }

  @Test func `the page contains the state as text`() {
    let page = String(
      decoding: WebPage.index(state: #"<script>"&'</script>"#), as: UTF8.self)
    #expect(page.contains("&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;"))
    #expect(!page.contains("<script>\"") && !page.contains("<!--STATE-->"))
    #expect(page.contains("id=\"state\""))
  }
}
