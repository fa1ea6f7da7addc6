import CausewayAdmin
import CausewayEnvironment
import CausewayOpenAPI
import Foundation
import Logging
import Testing
import Yams

@testable import CausewayDaemon

/// What is written of the admin API is what its table of routes says.
@Suite("The documents of the admin API")
struct AdminDocumentTests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Server/Admin").standardized

    private var routes: AdminRoutes {
        let logger = Logger(label: "test")
        return .api(
            AdminDesk(
                tenants: Tenants(), file: "", inForce: InForce(Configuration()), reloads: ReloadDesk(), scheduled: nil,
                presence: nil,
                live: LiveEvents(Tenants()), telemetry: Telemetry(Configuration.Log(), logger: logger),
                clock: SystemClock(),
                logger: logger, verifiers: TokenVerifiers(TokenVerifiers.Content())))
    }

    /// With CAUSEWAY_UPDATE_OPENAPI set, writes the file.
    @Test("the file is what the server serves")
    func fileOfDocument() throws {
        let (file, text) = (folder.appending(path: "openapi.yaml"), AdminDocument.text(routes))
        if ProcessInfo.processInfo.environment["CAUSEWAY_UPDATE_OPENAPI"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("every route has a name of its own, and every schema and parameter that it names is there")
    func references() throws {
        let document = try #require(try Yams.load(yaml: AdminDocument.text(routes)) as? [String: Any])
        let components = try #require(document["components"] as? [String: [String: Any]])
        var referred: Set<String> = []
        func follow(_ node: Any) {
            if let reference = (node as? [String: Any])?["$ref"] as? String {
                let parts = reference.split(separator: "/").map(String.init)
                #expect(parts.count == 4 && components[parts[2]]?[parts[3]] != nil, "\(reference)")
                referred.insert(parts.suffix(1).joined())
            }
            for child in (node as? [String: Any])?.values.map({ $0 }) ?? node as? [Any] ?? [] { follow(child) }
        }
        follow(document)
        #expect(Set(components["schemas"]?.keys.map { $0 } ?? []).subtracting(referred) == [])
        let names = routes.all.compactMap { $0.description?.name }
        #expect(Set(names).count == names.count)
        #expect(names.count == routes.all.count - 1, "Only the document itself is not described.")
    }

    @Test("ADMIN.md has a row for every route and for every code")
    func page() throws {
        let page = try String(contentsOf: folder.appending(path: "ADMIN.md"), encoding: .utf8)
        for route in routes.all {
            #expect(
                page.contains("`\(route.method) \(route.pattern.dropFirst("/admin/v1".count))`"), "\(route.pattern)")
        }
        for code in AdminError.Code.allCases {
            #expect(page.contains("| \(code.status) | `\(code.rawValue)` |"), "\(code)")
        }
    }
}
