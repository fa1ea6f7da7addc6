import CausewayEnvironment
import Crypto
import Foundation
import _CryptoExtras

/// A password as it is stored: its scrypt hash, with the salt and the cost that it was made with.
///
/// The cost travels with the hash, so that a later, higher one leaves the old passwords usable.
package struct PasswordHash: Codable, Hashable, Sendable {
    package struct Cost: Codable, Hashable, Sendable {
        /// CPU and memory: a power of two.
        package var rounds: Int
        package var blockSize: Int
        package var parallelism: Int

        package init(rounds: Int, blockSize: Int, parallelism: Int) {
            self.rounds = rounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 32 MiB and about 100 ms, three times over: one of the settings that OWASP recommends.
        package static let standard = Cost(rounds: 1 << 15, blockSize: 8, parallelism: 3)
    }

    let cost: Cost
    private let salt: Data
    private let hash: Data

    private static let hashBytes = 32

    init(of password: String, cost: Cost, random: any RandomSource) throws(AccountError) {
        self.cost = cost
        salt = Secret.randomBytes(16, random)
        hash = try Self.derive(password, salt, cost)
    }

    /// Takes as long for a wrong password as for the right one.
    func matches(_ password: String) throws(AccountError) -> Bool {
        Secret.areEqual(try Self.derive(password, salt, cost), hash)
    }

    private static func derive(_ password: String, _ salt: Data, _ cost: Cost) throws(AccountError) -> Data {
        // One password has one form, however a keyboard composes its letters.
        let bytes = Data(password.precomposedStringWithCompatibilityMapping.utf8)
        do {
            return try KDF.Scrypt.deriveKey(
                from: bytes, salt: salt, outputByteCount: hashBytes, rounds: cost.rounds, blockSize: cost.blockSize,
                parallelism: cost.parallelism
            ).withUnsafeBytes { Data($0) }
        } catch {
            throw AccountError(.internalServerError, "The server could not check the password. Its log says why.")
        }
    }
}
