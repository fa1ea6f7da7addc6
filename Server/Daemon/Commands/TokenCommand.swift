import ArgumentParser
import CausewayEnvironment
import CausewayIdentity
import Foundation

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Signs a token for development, and prints it.",
        discussion: "In production, tokens come from the issuer your users sign in at."
    )

    @Option(help: "Who the token is for.")
    var user: String

    @Option(help: "The file of the private key, or of the secret for HS256.")
    var key = "keys/" + DevelopmentKeys.Name.tokenPrivate

    @Option(help: "What the key signs with: HS256, RS256, ES256 or EdDSA.")
    var algorithm = SigningAlgorithm.es256

    @Option(help: "The id the server knows the key by.")
    var id: String?

    @Option(help: "The issuer to write into the token.")
    var issuer: String?

    @Option(help: "The audience to write into the token.")
    var audience: String?

    @Option(help: "The claim that names the user.")
    var userClaim = "sub"

    @Option(help: "Another claim as name=text. Repeat for more.")
    var claim: [String] = []

    @Option(help: "Another claim as name=JSON: a number, a list, an object. Repeat for more.")
    var jsonClaim: [String] = []

    @Option(help: "How long the token is good, in seconds.")
    var lifetime: UInt64 = 3_600

    func run() async throws {
        guard let text = try? String(contentsOf: URL(filePath: key), encoding: .utf8) else {
            throw CommandFailure(
                "\(key) cannot be read. Make development keys with: sync-server keys --folder keys, or name the key with "
                    + "--key FILE.")
        }
        let token = DevelopmentToken(
            user: user, issuer: issuer, audience: audience, claims: try Self.claims(claim, json: jsonClaim),
            lifetimeSeconds: lifetime)
        print(
            try await token.signed(
                with: text, algorithm: algorithm, id: id, userClaim: userClaim, source: key, now: SystemClock().now()))
    }

    /// The claims in `name=text` and `name=JSON`.
    static func claims(_ texts: [String], json: [String]) throws -> [String: ClaimValue] {
        var claims: [String: ClaimValue] = [:]
        for text in texts {
            let (name, value) = try parts(text, "--claim name=text")
            claims[name] = .string(value)
        }
        for text in json {
            let (name, value) = try parts(text, "--json-claim name=JSON")
            do throws(ClaimReadingError) {
                claims[name] = try ClaimValue(json: value.utf8, within: .claims)
            } catch {
                throw CommandFailure(
                    "The value of '\(name)' cannot be taken: \(error). Write --json-claim 'teams=[\"north\"]'.")
            }
        }
        return claims
    }

    private static func parts(_ text: String, _ form: String) throws -> (name: String, value: String) {
        guard let separator = text.firstIndex(of: "="), separator != text.startIndex else {
            throw CommandFailure("'\(text)' is no claim. Write \(form).")
        }
        return (String(text[..<separator]), String(text[text.index(after: separator)...]))
    }
}
