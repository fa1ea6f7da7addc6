import CausewayFiles
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewaySeeds
import Testing

@Suite("Exports that others have written, or damaged")
struct DamagedExportTests {
    private static let seeds = SeedList.drawn(for: "damaged-export", count: 4)
    private static let damagesPerSeed = 60

    /// What stands in an export where something else could stand.
    private static let pieces = [
        "null", "true", "0", "-1", "1.5", "\"a\"", "[]", "{}", "[[1]]", #"{"a":1}"#, #"{"$map":{"$a":1}}"#,
        #"{"$ref":"Named","$id":"a"}"#, #"{"$ref":"Plain","$number":0}"#, #"{"$ref":"Part","$number":0}"#,
        ##"{"$ref":"#List","$number":0}"##, #"{"$numberDouble":"NaN"}"#, #"{"$oid":"00112233445566778899aabb"}"#,
        #"{"$date":{"seconds":1,"nanoseconds":-1}}"#, #"{"$numberDecimal":"1E+9999"}"#, #""object""#, #""mixed""#,
        #""embedded""#,
        #""asymmetric""#, #""list""#, #""set""#, #""map""#, #""int""#, #""string""#, #""Part""#, #""Plain""#, #""key""#,
        #""primaryKey":true,"name""#, #""counter":true,"name""#, #""text":true,"name""#, #""indexed":true,"name""#,
        #""optional":true,"name""#, #""target":"Part","name""#, #""fullText":true,"name""#,
    ]

    @Test(arguments: seeds) func `are imported or refused, and leave a sound file or none`(_ seed: UInt64) throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        var numbers = SeededNumbers(seed: seed)
        try GeneratedFile.make(folder.file("source"), key: nil, seed: seed)
        let sound = try Exports.write(folder.file("source"), to: folder.file("export"))
        var refused = 0
        for damage in 0..<Self.damagesPerSeed {
            folder.write(Self.damaged(sound, &numbers), to: "damaged")
            let name = "file\(damage)"
            do {
                _ = try ObjectImport(missingLinks: .null).run(
                    from: folder.file("damaged"), to: folder.file(name), key: nil)
                let file = try OpenedFile.inspect(folder.file(name), key: nil)
                defer { file.close() }
                #expect(try FileMaintenance.verify(file).isSound)
            } catch is FileFailure {
                refused += 1
                #expect(!folder.names.contains { $0.hasPrefix(name) })
            }
        }
        #expect(refused > 0)
    }

    /// Some values are replaced by others, or some bytes removed.
    private static func damaged(_ sound: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var bytes = sound
        let headerEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        for _ in 0..<(1 + numbers.below(3)) {
            let place = numbers.below(numbers.once(in: 2) ? min(headerEnd, bytes.count) : bytes.count)
            if numbers.once(in: 6) {
                bytes.removeSubrange(place..<min(bytes.count, place + 1 + numbers.below(9)))
            } else if let start = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
                let ends = [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")]
                let end = bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
                bytes.replaceSubrange(start + 1..<end, with: Array(numbers.one(of: pieces).utf8))
            }
        }
        return bytes
    }
}
