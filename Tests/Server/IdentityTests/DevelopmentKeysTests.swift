import CausewayIdentity
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@Suite("Development keys")
struct DevelopmentKeysTests {
    @Test("the server certificate is signed by the authority and names every host")
    func certificates() throws {
        let now = Date()
        let keys = try DevelopmentKeys.make(
            hosts: ["sync.example.org", "10.0.0.7", "localhost"], days: 30, tokens: .es256, now: now)
        func certificate(_ name: String) throws -> Certificate {
            try Certificate(pemEncoded: try #require(keys.files.first { $0.name == name }).text)
        }
        let authority = try certificate(DevelopmentKeys.Name.authority)
        let server = try certificate(DevelopmentKeys.Name.server)
        #expect(authority.publicKey.isValidSignature(server.signature, for: server))
        #expect(authority.publicKey.isValidSignature(authority.signature, for: authority))
        #expect(server.issuer == authority.subject)
        #expect(server.notValidBefore <= now && server.notValidAfter > now.addingTimeInterval(29 * 86_400))
        let names = try #require(try server.extensions.subjectAlternativeNames)
        #expect(
            Array(names) == [
                .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .dnsName("sync.example.org"), .ipAddress(ASN1OctetString(contentBytes: [10, 0, 0, 7])),
            ])
        let keyText = try #require(keys.files.first { $0.name == DevelopmentKeys.Name.serverKey }).text
        #expect(
            Certificate.PublicKey(try P256.Signing.PrivateKey(pemRepresentation: keyText).publicKey) == server.publicKey
        )
    }

    @Test("only what others must have is readable for others")
    func secrets() throws {
        for algorithm in SigningAlgorithm.allCases {
            let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: algorithm, now: Date())
            for file in keys.files {
                let holdsSecret = file.text.contains("PRIVATE KEY") || file.name == DevelopmentKeys.Name.tokenSecret
                #expect(file.isSecret == holdsSecret, "\(file.name)")
            }
        }
    }

    @Test(
        "hosts and days that make no certificate are refused",
        arguments: [
            (["bad host"], 1), ([""], 1), (["1.2.3.256"], 1), (["ö.example"], 1), ([], 0), ([], 4_000),
        ])
    func refused(hosts: [String], days: Int) {
        let error = #expect(throws: IdentityError.self) {
            try DevelopmentKeys.make(hosts: hosts, days: days, tokens: .es256, now: Date())
        }
        #expect(error?.code == .requestInvalid)
    }

    @Test("a token is not signed for nobody, for ever, or with a public key")
    func refusedTokens() async throws {
        let keys = try TestKeys(.es256)
        for (token, key) in [
            (DevelopmentToken(user: ""), keys.privateText),
            (DevelopmentToken(user: "a", lifetimeSeconds: 0), keys.privateText),
            (DevelopmentToken(user: "a", lifetimeSeconds: .max), keys.privateText),
            (DevelopmentToken(user: "a"), keys.publicText),
        ] {
            await #expect(throws: IdentityError.self) {
                try await token.signed(with: key, algorithm: .es256, source: "token.pem", now: 0)
            }
        }
    }
}
