import CausewayIdentity
import Foundation

/// What a configuration names, tried against the disk: the keys and certificates that could be read, and everything
/// that is wrong.
struct Inspection {
    var problems: [ConfigurationProblem] = []
    var warnings: [ConfigurationProblem] = []
    var certificateChain = ""
    var certificateKey = ""
    var hosts: [String] = []
    var keys: [TrustedKey] = []

    /// No key or certificate is larger.
    static let keyFileBytesMax = 1 << 20

    init(_ configuration: Configuration, now: Date) async {
        inspectTLS(configuration.tls, now)
        await inspectTokens(configuration.tokens)
        for (index, database) in configuration.databases.enumerated() {
            inspectFolder(database.folder, key: "databases[\(index)].folder")
        }
    }

    /// Who tokens are verified by, once nothing is wrong.
    func verifier(_ tokens: Configuration.Tokens) throws(ConfigurationError) -> TokenVerifier {
        guard problems.isEmpty, !keys.isEmpty else { throw ConfigurationError(problems: problems) }
        return TokenVerifier(
            keys: keys,
            rules: TokenRules(
                issuers: tokens.issuers, audiences: tokens.audiences, userClaim: tokens.userClaim,
                notBeforeLeewayMilliseconds: UInt64(tokens.notBeforeLeewaySeconds) * 1_000
            )
        )
    }

    // MARK: - TLS

    private mutating func inspectTLS(_ tls: Configuration.TLS, _ now: Date) {
        let make = "For development, make one with: sync-server keys --folder keys"
        let chain = text(of: tls.certificate, key: "tls.certificate", make)
        let key = text(of: tls.key, key: "tls.key", make)
        guard let chain, let key else { return }
        let findings = ServerCertificate.inspect(chain: chain, key: key, now: now)
        problems += findings.errors.map { ConfigurationProblem("tls", $0) }
        warnings += findings.warnings.map { ConfigurationProblem("tls.certificate", $0) }
        if Self.isReadableByOthers(tls.key) {
            warnings.append(
                ConfigurationProblem("tls.key", "Others can read \(tls.key). Take it from them: chmod 600 \(tls.key)")
            )
        }
        (certificateChain, certificateKey, hosts) = (chain, key, findings.hosts)
    }

    // MARK: - Tokens

    private mutating func inspectTokens(_ tokens: Configuration.Tokens) async {
        for (index, key) in tokens.keys.enumerated() {
            let place = "tokens.keys[\(index)].file"
            guard let text = text(of: key.file, key: place, "Ask the issuer of the tokens for its public key.") else {
                continue
            }
            do throws(IdentityError) {
                keys.append(
                    try await TrustedKey.load(text, algorithm: key.algorithm, id: key.id, source: key.file))
            } catch {
                problems.append(ConfigurationProblem(place, error.message))
            }
            if key.algorithm.isSymmetric, Self.isReadableByOthers(key.file) {
                warnings.append(
                    ConfigurationProblem(
                        place,
                        "Others can read this secret, and so sign tokens. Take it from them: chmod 600 \(key.file)"))
            }
        }
        if let file = tokens.keySet, let text = text(of: file, key: "tokens.keySet", "Download the issuer's JWKS.") {
            do throws(IdentityError) {
                keys += try await TrustedKey.loadSet(text, source: file)
            } catch {
                problems.append(ConfigurationProblem("tokens.keySet", error.message))
            }
        }
        let ids = keys.compactMap(\.id)
        if Set(ids).count < ids.count {
            problems.append(
                ConfigurationProblem("tokens", "A key and a key of the set have the same id. Rename the one in keys."))
        }
        if tokens.issuers.isEmpty || tokens.audiences.isEmpty {
            warnings.append(
                ConfigurationProblem(
                    "tokens",
                    "Tokens of any \(tokens.issuers.isEmpty ? "issuer" : "audience") are taken. "
                        + "In production, name issuers and audiences."))
        }
    }

    // MARK: - Files

    private mutating func text(of path: String, key: String, _ remedy: String) -> String? {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size else {
            problems.append(ConfigurationProblem(key, "\(path) is not there or may not be seen. \(remedy)"))
            return nil
        }
        guard size <= Self.keyFileBytesMax else {
            problems.append(ConfigurationProblem(key, "\(path) has \(size) bytes, too many for a key. \(remedy)"))
            return nil
        }
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            problems.append(
                ConfigurationProblem(key, "\(path) cannot be read as text. Check its owner and permissions. \(remedy)"))
            return nil
        }
        return text
    }

    /// A folder must be writable, or be makeable in the nearest folder that is there.
    private mutating func inspectFolder(_ path: String, key: String) {
        var isFolder: ObjCBool = false
        var existing = URL(filePath: path)
        while !FileManager.default.fileExists(atPath: existing.path, isDirectory: &isFolder), existing.path != "/" {
            existing.deleteLastPathComponent()
        }
        guard isFolder.boolValue else {
            problems.append(ConfigurationProblem(key, "\(existing.path) is a file, not a folder. Name another folder."))
            return
        }
        if !FileManager.default.isWritableFile(atPath: existing.path) {
            problems.append(
                ConfigurationProblem(
                    key, "\(existing.path) is not writable for this user. Change its owner, or name another folder."))
        }
    }

    private static func isReadableByOthers(_ path: String) -> Bool {
        let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) ?? 0
        return mode & 0o044 != 0
    }
}
