import CausewayDataAPI
import CausewayOpenAPI
import Foundation
import Testing
import Yams

/// The document describes what the code does: its paths, parameters and statuses are compared with the table of calls,
/// and the file beside the code with what the code makes.
@Suite("The OpenAPI document")
struct OpenAPITests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Server/DataAPI").standardized

    private func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: OpenAPIDocument.text) as? [String: Any])
    }

    /// With CAUSEWAY_UPDATE_OPENAPI set, writes the file.
    @Test("the file is what the server serves")
    func fileOfDocument() throws {
        let file = folder.appending(path: "openapi.yaml")
        if ProcessInfo.processInfo.environment["CAUSEWAY_UPDATE_OPENAPI"] != nil {
            try Data(OpenAPIDocument.text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == OpenAPIDocument.text)
    }

    @Test("every call is described with its parameters and statuses, and nothing else is")
    func calls() throws {
        let paths = try #require(try document()["paths"] as? [String: [String: [String: Any]]])
        var described: Set<String> = []
        for (path, methods) in paths {
            for (method, operation) in methods {
                described.insert(try #require(operation["operationId"] as? String))
                let call = try #require(
                    APICall.all.first { $0.pathText == path && $0.method == method.uppercased() }, "\(method) \(path)")
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                let names = parameters.compactMap { $0["name"] as? String }
                #expect(names == call.parameters.map(\.name) + call.headers.map(\.name))
                let shared = parameters.compactMap { ($0["$ref"] as? String)?.split(separator: "/").last }
                #expect(shared.map(String.init) == call.described.pathParameters)
                let responses = try #require(operation["responses"] as? [String: Any])
                let statuses = Set(call.answer.statuses + call.errorStatuses)
                #expect(Set(responses.keys) == Set(statuses.map(String.init)))
                #expect((operation["requestBody"] != nil) == (call.body != nil))
            }
        }
        #expect(described == Set(APICall.Name.allCases.map(\.rawValue)))
    }

    @Test("everything that is referred to is there")
    func references() throws {
        let document = try document()
        let components = try #require(document["components"] as? [String: [String: Any]])
        var count = 0
        func follow(_ node: Any) {
            if let reference = (node as? [String: Any])?["$ref"] as? String {
                let parts = reference.split(separator: "/").map(String.init)
                #expect(parts.count == 4 && components[parts[2]]?[parts[3]] != nil, "\(reference)")
                count += 1
            }
            for child in (node as? [String: Any])?.values.map({ $0 }) ?? node as? [Any] ?? [] { follow(child) }
        }
        follow(document)
        #expect(count > 40)
    }

    @Test("the document needs no token")
    func served() async throws {
        let bench = try APIBench()
        let answer = try await bench.document()
        #expect(answer.status == 200 && answer.text == OpenAPIDocument.text)
    }

    @Test("API.md has a row for every code, with its status")
    func errors() throws {
        let page = try String(contentsOf: folder.appending(path: "API.md"), encoding: .utf8)
        for code in APIError.Code.allCases {
            #expect(page.contains("| \(code.status) | `\(code.rawValue)` |"), "\(code)")
        }
    }
}
