import ArgumentParser
import CausewayAdmin
import CausewayFolders
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

/// The client of `sync-server admin`, as the command line makes it, against an admin listener over TLS.
@Suite("sync-server admin over TLS")
struct AdminClientTests {
    private let folder: TemporaryFolder
    private static let token = String(repeating: "t", count: AdminAccess.tokenBytesMin)

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
        try makeKeys("keys")
        try makeKeys("foreign")
        folder.write(Self.token, "token")
    }

    private func makeKeys(_ name: String) throws {
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, client: "ada", now: Date())
        _ = try KeyFolder(folder.file(name)).write(keys.files)
    }

    private func configuration(port: Int, _ more: String) -> String {
        """
        tls: {certificate: keys/server.pem, key: keys/server-key.pem}
        tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
        databases: [{name: flights, folder: flights}]
        admin: {port: \(port), tokenFile: token\(more)}
        """
    }

    /// Runs a test with a listener that answers with its databases, and with the file of its configuration.
    private func withListener(
        _ more: String, _ body: (_ file: String, _ port: Int) async throws -> Void
    ) async throws {
        folder.write(configuration(port: 0, more), "sync-server.yaml")
        let file = folder.file("sync-server.yaml")
        let read = try ConfigurationFile.read(file)
        let inspection = await Inspection(read, now: Date(), onlyKeys: true)
        #expect(inspection.problems == [])
        let routes = AdminRoutes([
            AdminRoute("GET", "/admin/v1/databases") { _ in .json { $0.object { $0.field("name", "flights") } } }
        ])
        let admin = try AdminListener(
            try #require(read.admin), inspection, routes, live: LiveEvents(Tenants()), observer: NoAdminObserver(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let port = try await admin.listener.start()
        folder.write(configuration(port: port, more), "sync-server.yaml")
        do {
            try await body(file, port)
        } catch {
            await admin.listener.shutdown()
            throw error
        }
        await admin.listener.shutdown()
    }

    /// The name that the listener answers with, or the sentence of the command.
    private func ask(_ arguments: String...) async throws -> String {
        do {
            let client = try AdminDatabases.List.parse(arguments).options.client()
            return try await client.call(.get, ["databases"])["name"]?.string ?? ""
        } catch let failure as CommandFailure {
            for trace in ["NIO", "SSL", "OPENSSL", ".cc", "errno", "Error("] {
                #expect(!failure.description.contains(trace), "\(failure)")
            }
            return failure.description
        }
    }

    @Test("the certificate of the configuration is trusted, and a listener that wants one gets the client's")
    func both() async throws {
        try await withListener(", clientAuthorities: keys/ca.pem") { file, port in
            let (certificate, key) = (folder.file("keys/client.pem"), folder.file("keys/client-key.pem"))
            let good = try await ask(
                "--configuration", file, "--client-certificate", certificate, "--client-key", key)
            #expect(good == "flights")
            let without = try await ask("--configuration", file)
            #expect(without.contains("--client-certificate"), "\(without)")
            let foreign = try await ask(
                "--configuration", file, "--client-certificate", folder.file("foreign/client.pem"), "--client-key",
                folder.file("foreign/client-key.pem"))
            #expect(foreign.contains("cannot be asked"), "\(foreign)")
            let address = "https://localhost:\(port)"
            let byAuthority = try await ask(
                "--address", address, "--token-file", folder.file("token"), "--certificate-authority",
                folder.file("keys/ca.pem"), "--client-certificate", certificate, "--client-key", key)
            #expect(byAuthority == "flights")
            let untrusted = try await ask(
                "--address", address, "--token-file", folder.file("token"), "--client-certificate", certificate,
                "--client-key", key)
            #expect(untrusted.contains("--certificate-authority"), "\(untrusted)")
            let plain = try await ask("--address", "http://localhost:\(port)", "--token-file", folder.file("token"))
            #expect(plain.contains("--address https://"), "\(plain)")
        }
    }

    @Test("what a listener over TLS reads anew is told as new only where it is")
    func readAnew() async throws {
        folder.write(configuration(port: 0, ", clientAuthorities: keys/ca.pem"), "sync-server.yaml")
        let read = try ConfigurationFile.read(folder.file("sync-server.yaml"))
        let settings = try #require(read.admin)
        func inspection() async -> Inspection { await Inspection(read, now: Date(), onlyKeys: true) }
        let admin = try AdminListener(
            settings, await inspection(), AdminRoutes(), live: LiveEvents(Tenants()), observer: NoAdminObserver(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(try admin.take(settings, await inspection()) == AdminListener.News())
        folder.write(folder.read("foreign/ca.pem"), to: "keys/ca.pem")
        #expect(try admin.take(settings, await inspection()) == AdminListener.News(areCertificatesNew: true))
        folder.write(String(repeating: "u", count: 40), "token")
        #expect(try admin.take(settings, await inspection()) == AdminListener.News(isTokenNew: true))
        #expect(try admin.take(settings, await inspection()) == AdminListener.News())
        await admin.listener.shutdown()
    }

    @Test("a listener that shows another certificate than the configuration names is sent nothing")
    func otherCertificate() async throws {
        try await withListener(", clientAuthorities: keys/ca.pem") { file, _ in
            let text = String(decoding: folder.read("sync-server.yaml"), as: UTF8.self)
            folder.write(text.replacing("keys/server.pem", with: "foreign/server.pem"), "sync-server.yaml")
            let answer = try await ask(
                "--configuration", file, "--client-certificate", folder.file("keys/client.pem"), "--client-key",
                folder.file("keys/client-key.pem"))
            #expect(answer.contains("another certificate"), "\(answer)")
        }
    }

    @Test("what is missing or does not fit is told by its file, and where nothing listens by its address")
    func troubles() async throws {
        folder.write("secret words", "broken.pem")
        folder.write(configuration(port: 1, ", clientAuthorities: keys/ca.pem"), "sync-server.yaml")
        let file = folder.file("sync-server.yaml")
        func told(_ certificate: String, _ key: String) async throws -> String {
            try await ask(
                "--configuration", file, "--client-certificate", folder.file(certificate), "--client-key",
                folder.file(key))
        }
        #expect(try await told("keys/client.pem", "keys/client-key.pem").contains("nothing listens there"))
        #expect(try await told("none.pem", "keys/client-key.pem").contains("none.pem is not there"))
        #expect(try await told("broken.pem", "keys/client-key.pem").contains("broken.pem holds no certificate"))
        #expect(try await told("keys/client.pem", "broken.pem").contains("broken.pem holds no unencrypted private key"))
        #expect(try await told("keys/client.pem", "foreign/client-key.pem").contains("do not belong together"))
        #expect(throws: (any Error).self) { try AdminDatabases.List.parse(["--client-key", "x"]) }
        let plain = try await ask("--address", "https://localhost:1")
        #expect(plain.contains("https://localhost:1 cannot be asked: nothing listens there"), "\(plain)")
    }

    @Test("a listener without TLS that is asked for it, and one with TLS that is asked without, are told apart")
    func wrongScheme() async throws {
        try await withListener("") { _, port in
            let answer = try await ask("--address", "https://127.0.0.1:\(port)", "--token-file", folder.file("token"))
            #expect(answer.contains("speaks no TLS"), "\(answer)")
        }
    }

    @Test("a listener says in words why it cannot listen")
    func listening() async throws {
        try await withListener("") { _, port in
            let service = AdminService(
                AdminRoutes(),
                access: AdminAccess(token: nil, isPeerVerified: false, isMonitoringOpen: true, isLocal: true))
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let second = HTTPListener(host: "127.0.0.1", port: port, tls: nil, service: service, logger: logger)
            let error = await #expect(throws: CommandFailure.self) {
                try await AdminServing(listener: second, live: LiveEvents(Tenants()), logger: logger).run()
            }
            await second.shutdown()
            #expect(
                error?.description.contains("127.0.0.1:\(port): another program listens there already") == true,
                "\(String(describing: error))")
        }
    }
}
