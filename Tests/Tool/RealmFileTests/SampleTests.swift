import CausewayJSON
import CausewayModel
import CausewayRealmFile
import Testing

@Suite("Realm files")
struct SampleTests {
    @Test(arguments: Sample.opened)
    func `a sample has the content that its JSON tells`(_ name: String) throws {
        let sample = Sample(name: name)
        let file = try sample.open()
        let found = try SampleRendering(file: file).classes().map { Sample.compared($0) }
        if let expected = try sample.expectedClasses() {
            #expect(found.count == expected.count && !expected.isEmpty)
            // The text of a class is too long for a message.
            for (found, expected) in zip(found, expected) { #expect(Sample.difference(found, expected) == nil) }
        } else {
            #expect(Sample.hash(found) == (try sample.expected()["classesHash"]?.string))
        }
        #expect(try file.schemaVersion().map { Int64($0) } == (try sample.expected()["schemaVersion"]?.int))
        let others = file.tables.filter { $0.className == nil }.map(\.name)
        #expect(others == (try sample.expected()["otherTables"]?.elements?.compactMap(\.string)))
    }

    @Test func `the comparison sees a value that differs`() throws {
        let expected = try #require(try Sample(name: "12-schema-version-7").expectedClasses()?.last)
        let other = Sample.text(expected).replacing("likes dogs", with: "likes cats")
        let difference = Sample.difference(expected, try JSONReader.read(Array(other.utf8)))
        #expect(difference?.contains("bio") == true)
    }

    @Test func `a file that was cut off is refused`() throws {
        let whole = try Sample(name: "03-collections").open().tables.count
        #expect(whole > 0)
        let bytes = Array(try Sample(name: "03-collections").bytes().prefix(49_152))
        let failure = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(bytes) }
        #expect(failure.description == "The Realm file is damaged or cut off: it leads to byte 69160 of 49152.")
    }

    @Test func `a reference out of the file is refused`() throws {
        var bytes = try Sample(name: "01-scalars").bytes()
        #expect(bytes[11_593] == 0x2C)
        bytes[11_593] = 0x7F
        let failure = try #require(throws: RealmFileFailure.self) {
            _ = try SampleRendering(file: RealmFile(bytes)).classes()
        }
        #expect(failure.description == "The Realm file is damaged or cut off: it leads to byte 32656 of 23184.")
    }

    @Test func `other formats are refused with what to do`() throws {
        var bytes = try Sample(name: "12-schema-version-7").bytes()
        bytes[20] = 22
        bytes[21] = 22
        let old = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(bytes) }
        #expect(old.description.contains("format 22") && old.description.contains("last Realm SDK"))
        bytes[20] = 25
        bytes[21] = 25
        let new = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(bytes) }
        #expect(new.description.contains("format 25"))
    }

    @Test(arguments: [[], Array("T-DB".utf8), [UInt8](repeating: 0, count: 4_096)])
    func `what is no Realm file is refused`(_ bytes: [UInt8]) throws {
        let failure = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(bytes) }
        #expect(failure.description.contains("does not begin as a Realm file does"))
    }

    @Test func `reading the same places over and over ends, until the next rewinding`() throws {
        let file = try Sample(name: "07-long").open()
        let table = try #require(file.tables.first { $0.rowCount > 0 && $0.className != nil })
        func readAll() throws {
            for cluster in 0..<table.clusterCount {
                for row in 0..<table.rowCount(ofCluster: cluster) { _ = try table.row(row, ofCluster: cluster) }
            }
        }
        let failure = try #require(throws: RealmFileFailure.self) { for _ in 0..<100 { try readAll() } }
        #expect(failure.description.contains("over and over"))
        #expect(throws: RealmFileFailure.self) { try readAll() }
        file.rewind()
        try readAll()
    }

    @Test func `a cycle of nodes ends with a sentence`() throws {
        // A header, and one inner node that leads to itself.
        var bytes = [UInt8](repeating: 0, count: 24)
        bytes[0] = 24
        bytes.replaceSubrange(16..<22, with: Array("T-DB".utf8) + [24, 24])
        bytes += [0, 0, 0, 0x41, 0x44, 0, 0, 2, 24, 24]
        bytes += [UInt8](repeating: 0, count: 6)
        let failure = try #require(throws: RealmFileFailure.self) { _ = try RealmFile(bytes) }
        #expect(failure.description.contains("damaged"))
    }
}
