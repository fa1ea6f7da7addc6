import CausewayFolders
import CausewayModel
import CausewayRealmFile
import Foundation
import Testing

@Suite("Encrypted Realm files")
struct EncryptionTests {
    private static let sample = Sample(name: "08-encrypted")

    @Test func `another key is refused with a sentence`() throws {
        var key = try #require(try Self.sample.key())
        key[63] ^= 1
        let failure = try #require(throws: RealmFileFailure.self) {
            _ = try RealmFile(path: Self.sample.path, key: key)
        }
        #expect(failure.description.contains("The key does not open the Realm file"))
    }

    @Test func `without a key, the file is refused and the key asked for`() throws {
        let failure = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(path: Self.sample.path) }
        #expect(failure.description.contains("or it is encrypted"))
    }

    @Test func `a key for a file that has none is refused`() throws {
        let path = Sample(name: "02-links").path
        let failure = try #require(throws: RealmFileFailure.self) {
            _ = try RealmFile(path: path, key: [UInt8](repeating: 1, count: 64))
        }
        #expect(failure.description.contains("is not encrypted"))
    }

    @Test func `a changed byte of any written block is noticed`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let (bytes, key) = (try Self.sample.bytes(), try Self.sample.key())
        // The counter of a block that was never written is 0.
        let written = (1..<bytes.count / 4_096).filter { bytes[64 * ($0 - 1)] != 0 }
        #expect(written.count >= 2)
        for block in written {
            var damaged = bytes
            damaged[4_096 * block + 17] ^= 4
            folder.write(damaged, to: "file")
            #expect(throws: RealmFileFailure.self) { _ = try RealmFile(path: folder.file("file"), key: key) }
        }
    }

    @Test func `the version before a write that was not finished is read`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        var bytes = try Self.sample.bytes()
        // The entry of the first block gets a newer version, whose block was not written.
        bytes.replaceSubrange(32..<64, with: bytes[0..<32])
        bytes.replaceSubrange(0..<32, with: [9, 0, 0, 0] + [UInt8](repeating: 7, count: 28))
        folder.write(bytes, to: "file")
        #expect(try RealmFile(path: folder.file("file"), key: Self.sample.key()).tables.count > 0)
    }
}

@Suite("SHA-224")
struct SHA224Tests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(arguments: [
        ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
        ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
        ),
    ])
    func `hashes are those of FIPS 180-4`(_ text: String, _ hash: String) {
        #expect(Self.hexadecimal(SHA224.digest(Array(text.utf8))) == hash)
    }

    @Test func `the code is that of RFC 4231`() {
        let code = SHA224.authenticationCode(
            of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Self.hexadecimal(code) == "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
    }
}
