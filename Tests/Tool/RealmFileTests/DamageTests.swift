import CausewayFiles
import CausewayFolders
import CausewayRealmFile
import CausewaySeeds
import Testing

/// Whatever the bytes of a Realm file are, reading it and an import's look at it end with content or with a sentence.
@Suite("Damaged Realm files")
struct DamageTests {
    private static let names = [
        "01-scalars", "02-links", "04-embedded", "05-mixed", "09-schema-only", "10-tombstones", "11-names-and-indexes",
        "12-schema-version-7", "03-collections",
    ]
    private static let parts = 4
    private static let seeds = SeedList.drawn(for: "realm-file-damage", count: 240)

    @Test(arguments: 0..<parts)
    func `damage ends with content or a sentence`(_ part: Int) throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let samples = try Self.names.map { try Sample(name: $0).bytes() }
        var (read, refused) = (0, 0)
        for seed in Self.seeds.part(part, of: Self.parts) {
            var generator = SeededNumbers(seed: seed)
            let bytes = Self.damaged(samples[Int(seed % UInt64(samples.count))], &generator)
            do {
                _ = try SampleRendering(file: RealmFile(bytes)).classes()
                read += 1
            } catch let failure as RealmFileFailure {
                #expect(failure.description.hasSuffix(".") && failure.description.count < 400)
                refused += 1
            }
            folder.write(bytes, to: "file")
            do {
                let realm = try RealmImport(folder.file("file"), key: nil)
                _ = try realm.check()
                if seed / UInt64(samples.count) % 8 == 0 { try Self.importAndVerify(realm, to: folder.file("\(seed)")) }
            } catch let failure as FileFailure {
                #expect(failure.description.hasSuffix("."))
            }
        }
        // Both happen: flips in values are seen by nobody, and those of references are.
        if Self.seeds.count >= 100 { #expect(read > 0 && refused > 0) }
    }

    /// What is imported of damaged content is a sound file.
    private static func importAndVerify(_ realm: RealmImport, to path: String) throws {
        _ = try realm.run(to: path, key: nil)
        let file = try OpenedFile.inspect(path, key: nil)
        defer { file.close() }
        #expect(try FileMaintenance.verify(file).isSound)
    }

    private static func damaged(_ bytes: [UInt8], _ generator: inout SeededNumbers) -> [UInt8] {
        var bytes = bytes
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        case 1:
            // A node's worth of bytes from another place.
            let (from, to) = (place(bytes, &generator), place(bytes, &generator))
            for offset in 0..<min(16, bytes.count - max(from, to)) { bytes[to + offset] = bytes[from + offset] }
        default:
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                } else {
                    bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, 0x41].randomElement(using: &generator) ?? 0
                }
            }
        }
        return bytes
    }

    private static func place(_ bytes: [UInt8], _ generator: inout SeededNumbers) -> Int {
        8 * Int.random(in: 0..<bytes.count / 8, using: &generator)
    }
}
