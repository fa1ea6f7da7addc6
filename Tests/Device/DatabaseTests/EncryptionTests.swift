import Causeway
import Foundation
import Testing

class SealedNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Encrypted Realms")
struct EncryptionTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "causeway-encryption-\(UUID().uuidString)")
    private let key = Data((0..<64).map { UInt8($0) })

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func configuration(_ name: String, _ key: Data?) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: folder.appendingPathComponent(name), encryptionKey: key, objectTypes: [SealedNote.self])
    }

    private func write(_ text: String, _ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(SealedNote.self, value: [1, text] as [Any], update: .modified) }
    }

    private func text(_ configuration: Realm.Configuration) throws -> String? {
        try Realm(configuration: configuration).object(ofType: SealedNote.self, forPrimaryKey: 1)?.text
    }

    @Test("what is written with a key is read with that key, and the file does not show it")
    func roundTrip() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = "the harbour closes at nine"
        try write(secret, configuration("a.realm", key))
        #expect(try text(configuration("a.realm", key)) == secret)
        let bytes = try Data(contentsOf: folder.appendingPathComponent("a.realm"))
        #expect(bytes.count > 4096)
        #expect(bytes.range(of: Data("harbour".utf8)) == nil)
        #expect(bytes.range(of: Data("SealedNote".utf8)) == nil)
    }

    @Test("another key, or none, or one for a plain file is refused and changes nothing")
    func wrongKey() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("sealed", configuration("a.realm", key))
        try write("plain", configuration("b.realm", nil))
        let other = Data(repeating: 9, count: 64)
        for refused in [configuration("a.realm", other), configuration("a.realm", nil), configuration("b.realm", key)] {
            #expect {
                _ = try Realm(configuration: refused)
            } throws: { error in
                (error as? Realm.Error)?.code == .invalidDatabase
            }
        }
        #expect(try text(configuration("a.realm", key)) == "sealed")
        #expect(try text(configuration("b.realm", nil)) == "plain")
    }

    @Test("a copy has the key it is given")
    func rekeying() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("kept", configuration("a.realm", key))
        let other = Data(repeating: 9, count: 64)
        do {
            let realm = try Realm(configuration: configuration("a.realm", key))
            try realm.writeCopy(toFile: folder.appendingPathComponent("b.realm"), encryptionKey: other)
            try realm.writeCopy(toFile: folder.appendingPathComponent("c.realm"))
        }
        #expect(try text(configuration("b.realm", other)) == "kept")
        #expect(try text(configuration("c.realm", nil)) == "kept")
    }

    @Test("a key of another length stops the program")
    func length() async {
        await #expect(processExitsWith: .failure) {
            var configuration = Realm.Configuration()
            configuration.encryptionKey = Data(repeating: 1, count: 32)
        }
    }

    @Test("a write fails while somebody holds a version that is too old, and works again afterwards")
    func activeVersions() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var limited = configuration("a.realm", nil)
        limited.maximumNumberOfActiveVersions = 4
        let realm = try Realm(configuration: limited)
        let old = DispatchQueue(label: "old")
        let work = limited
        nonisolated(unsafe) var held: Realm?
        try old.sync {
            // A realm on another queue that is never refreshed stays where it is.
            held = try Realm(configuration: work, queue: old)
            held?.autorefresh = false
            _ = held?.objects(SealedNote.self).count
        }
        var failures = 0
        for number in 0..<10 {
            do {
                try realm.write { realm.create(SealedNote.self, value: [number, ""] as [Any]) }
            } catch {
                failures += 1
            }
        }
        #expect(failures > 0 && failures < 10)
        old.sync { held = nil }
        try realm.write { realm.create(SealedNote.self, value: [100, ""] as [Any]) }
        #expect(realm.object(ofType: SealedNote.self, forPrimaryKey: 100) != nil)
    }
}
