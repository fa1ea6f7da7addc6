import CausewayIdentity
import Foundation
import Testing

@Suite("What is said of a server's certificate before it is used")
struct ServerCertificateTests {
    private let now = Date()
    private let day = 86_400.0

    /// A certificate of a development authority, made at a time and good for 30 days from then on.
    private func files(madeAt time: Date) throws -> (certificate: String, key: String, authority: String) {
        let keys = try DevelopmentKeys.make(hosts: [], days: 30, tokens: .es256, now: time)
        func text(_ name: String) throws -> String { try #require(keys.files.first { $0.name == name }).text }
        return (
            try text(DevelopmentKeys.Name.server), try text(DevelopmentKeys.Name.serverKey),
            try text(DevelopmentKeys.Name.authority)
        )
    }

    private func findings(madeAt time: Date) throws -> ServerCertificate.Findings {
        let files = try files(madeAt: time)
        return ServerCertificate.inspect(chain: files.certificate, key: files.key, now: now)
    }

    @Test("one that is not valid yet, one that has ended and one that ends soon are told apart")
    func validity() throws {
        let good = try findings(madeAt: now)
        #expect(good.errors == [] && good.warnings == [])
        #expect(good.hosts == ["localhost", "127.0.0.1"])

        let early = try findings(madeAt: now.addingTimeInterval(day))
        #expect(early.errors.count == 1 && early.warnings == [])
        #expect(early.errors.allSatisfy { $0.contains("not valid before") && $0.contains("clock") })

        let late = try findings(madeAt: now.addingTimeInterval(-31 * day))
        #expect(late.errors.count == 1 && late.warnings == [])
        #expect(late.errors.allSatisfy { $0.contains("ended on") && $0.contains("Renew it") })

        let soon = try findings(madeAt: now.addingTimeInterval(-20 * day))
        #expect(soon.errors == [] && soon.warnings.count == 1)
        #expect(soon.warnings.allSatisfy { $0.contains("Renew it soon") })
    }

    @Test("a chain whose certificates did not sign each other is told, and which of them has no time left")
    func chain() throws {
        let (own, stranger) = (try files(madeAt: now), try files(madeAt: now))
        func warnings(_ chain: String, at time: Date? = nil) -> [String] {
            ServerCertificate.inspect(chain: chain, key: own.key, now: time ?? now).warnings
        }
        #expect(warnings(own.certificate + "text between\n" + own.authority) == [])
        let broken = warnings(own.certificate + stranger.authority)
        #expect(broken.count == 1 && broken.allSatisfy { $0.contains("Certificate 2") && $0.contains("did not sign") })
        let unreadable = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(
            warnings(own.certificate + unreadable).contains { $0.contains("Certificate 2 of the chain cannot be read") }
        )
        // The authority's is as old as the server's.
        let late = warnings(own.certificate + own.authority, at: now.addingTimeInterval(31 * day))
        #expect(late.contains { $0.contains("Certificate 2 of the chain ended on") })
        let early = warnings(own.certificate + own.authority, at: now.addingTimeInterval(-day))
        #expect(early.contains { $0.contains("Certificate 2 of the chain is not valid before") })
    }

    @Test("a certificate that no authority signed is told; what is no certificate is an error")
    func unsigned() throws {
        let own = try files(madeAt: now)
        let itself = ServerCertificate.inspect(chain: own.authority, key: own.key, now: now)
        #expect(itself.warnings.contains { $0.contains("by itself") && $0.contains("trustRootsPath") })
        for chain in ["", "x", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"]
        {
            let findings = ServerCertificate.inspect(chain: chain, key: own.key, now: now)
            #expect(
                findings.errors.count == 1 && findings.errors.allSatisfy { $0.contains("none in PEM form") },
                "'\(chain)'")
        }
    }
}
