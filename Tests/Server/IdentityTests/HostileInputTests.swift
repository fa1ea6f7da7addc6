import CausewayIdentity
import CausewayModel
import CausewaySeeds
import Foundation
import Testing

/// Tokens, key sets and account calls, damaged by seed: each is refused with an error of ours, and nothing traps.
@Suite("What callers send before anybody knows them")
struct HostileInputTests {
    private static let seeds = SeedList.drawn(for: "hostile-input", count: 1)

    private static let telling = Array("{}[]\":,.=-_0e9\\u\u{0}é".utf8)

    private func damaged(_ text: String, _ numbers: inout SeededNumbers) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<numbers.below(4) + 1 {
            let place = numbers.below(bytes.count + 1)
            switch numbers.below(5) {
            case 0: bytes.insert(numbers.one(of: Self.telling), at: place)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + numbers.below(8)))
            case 2: bytes.insert(contentsOf: numbers.bytes(numbers.below(6)), at: place)
            case 3: bytes = Array(bytes.prefix(place))
            default: if place < bytes.count { bytes[place] = numbers.one(of: Self.telling) }
            }
        }
        return bytes
    }

    @Test("a damaged token is nobody's", arguments: [SigningAlgorithm.hs256, .es256], seeds)
    func tokens(_ algorithm: SigningAlgorithm, seed: UInt64) async throws {
        let keys = try TestKeys(algorithm)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let now: UInt64 = 1_700_000_000_000
        let token = try await keys.token("ada")
        #expect(try verifier.caller(for: token, at: now).user == "ada")
        var numbers = SeededNumbers(seed: seed)
        for number in 0..<3_000 {
            let bytes = damaged(token, &numbers)
            let text = String(decoding: bytes, as: UTF8.self)
            if text == token { continue }
            do throws(IdentityError) {
                // Bits beyond the last byte of a signature mean nothing: such a text is the same token.
                let caller = try verifier.caller(for: text, at: now)
                #expect(caller.user == "ada", "seed \(seed), number \(number)")
            } catch {
                #expect(!error.message.isEmpty && !error.message.contains(token), "seed \(seed), number \(number)")
            }
        }
    }

    @Test("claims of any shape, rightly signed, name a user or are refused", arguments: seeds)
    func claims(seed: UInt64) async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let claims = #"{"sub":"ada","exp":1900000000,"nbf":1,"aud":["a"],"iss":"i","data":{"a":[1,2.5,null,true]}}"#
        var numbers = SeededNumbers(seed: seed)
        let huge = [
            String(repeating: "[", count: 50_000), String(repeating: #"{"a":"#, count: 50_000), "",
            #"{"sub":"ada","exp":1e999}"#, #"{"sub":"ada","exp":-1}"#, #"{"sub":"ada","exp":99999999999999999999}"#,
            #"{"sub":"ada","exp":1.5e18,"nbf":-1e300}"#, #"{"sub":["ada"],"exp":1900000000}"#,
        ]
        let drawn = (0..<1_000).map { _ in String(decoding: damaged(claims, &numbers), as: UTF8.self) }
        for text in huge + drawn {
            let token = try await keys.sign(header: #"{"alg":"HS256"}"#, claims: text)
            do throws(IdentityError) {
                #expect(try !verifier.caller(for: token, at: 1_700_000_000_000).user.string.isEmpty)
            } catch {
                #expect(!error.message.isEmpty, "seed \(seed): \(text.prefix(100))")
            }
        }
    }

    @Test("a damaged key set is refused, or gives the keys that are whole", arguments: seeds)
    func keySets(seed: UInt64) async throws {
        let set = """
            {"keys":[{"kty":"oct","alg":"HS256","kid":"a","k":"\(Data(repeating: 7, count: 32).base64EncodedString())"},\
            {"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","x":"AAAA","y":"BBBB"},{"kty":"RSA","n":"AQAB","e":"AQAB"}]}
            """
        var numbers = SeededNumbers(seed: seed)
        for number in 0..<1_000 {
            let text = String(decoding: damaged(set, &numbers), as: UTF8.self)
            do throws(IdentityError) {
                #expect(
                    try await TrustedKey.loadSet(text, source: "keys.json").count <= 3, "seed \(seed), number \(number)"
                )
            } catch {
                #expect(error.code == .keyUnusable, "seed \(seed), number \(number)")
            }
        }
    }

    @Test("a damaged account call is refused, and the accounts serve who comes next", arguments: seeds)
    func accountCalls(seed: UInt64) async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let body =
            #"{"provider":"local-userpass","email":"ada@example.org","password":"wrong","token":"a","tokenId":"b"}"#
        let calls = ["login", "refresh", "logout", "register", "confirm", "reset", "link", "keys", "", "../login"]
        var numbers = SeededNumbers(seed: seed)
        for number in 0..<600 {
            let reply = await fixture.accounts.answer(
                numbers.one(of: calls), body: damaged(body, &numbers),
                token: numbers.once(in: 2) ? nil : String(decoding: numbers.bytes(20), as: UTF8.self),
                peer: "10.0.\(number / 200).\(number % 200)")
            #expect((200..<600).contains(reply.status), "seed \(seed), number \(number)")
        }
        await fixture.accounts.settled()
        #expect(try await fixture.register("grace@example.org").status == 200)
    }
}
