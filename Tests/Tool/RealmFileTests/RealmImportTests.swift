import CausewayFiles
import CausewayFolders
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayRealmFile
import Testing

@Suite("Imports of Realm files")
struct RealmImportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    @Test(arguments: Sample.opened)
    func `an import has the content of the Realm file`(_ name: String) throws {
        let sample = Sample(name: name)
        let before = try sample.bytes()
        let realm = try RealmImport(sample.path, key: sample.key())
        #expect(try realm.check() == [])
        let (report, losses) = try realm.run(to: folder.file("file"), key: nil)
        #expect(losses == [])
        #expect(report.missingLinks == 0)
        #expect(report.created == realm.plan.objectCount)
        #expect(try sample.bytes() == before)

        let expected = try SampleRendering(file: sample.open()).classes()
        let realmKeys = Dictionary(
            uniqueKeysWithValues: expected.map { json in
                (json["class"]?.string ?? "", (json["rows"]?.elements ?? []).compactMap { $0["key"]?.int })
            })
        let file = try OpenedFile.inspect(folder.file("file"), key: nil)
        defer { file.close() }
        #expect(try FileSummary(file).schemaVersion == realm.plan.schemaVersion)
        try file.read { transaction in
            #expect(transaction.schema.withoutNestedCollections.classes.count == expected.count)
            for json in expected {
                let name = try #require(json["class"]?.string)
                let found = try #require(
                    StoreRendering(transaction: transaction, realmKeys: realmKeys).json(name))
                #expect(Sample.difference(Self.stored(found), Self.stored(json)) == nil)
            }
        }
        #expect(try file.whole { store throws(StoreError) in try store.verify() }.isSound)
    }

    /// A class in the form in which a Realm file and a file of ours are compared: keys of objects are each file's own, and all NaNs
    /// are one.
    private static func stored(_ json: JSON) -> JSON {
        let isEmbedded = json["kind"]?.string == "embedded"
        let members = (json.members ?? []).filter {
            $0.name.string != "tombstones" && ($0.name.string != "rowCount" || isEmbedded)
        }
        return plain(Sample.compared(.object(members)))
    }

    private static func plain(_ json: JSON) -> JSON {
        switch json {
        case .array(let elements): return .array(elements.map(plain))
        case .object(let members):
            if members.count == 1, let bits = json["bits"]?.string {
                return SampleValue.object("bits", .string(bits.count == 8 ? float(bits) : double(bits)))
            }
            let kept = members.filter {
                $0.name.string != "enumerated" && !($0.name.string == "key" && json["values"] != nil)
            }
            return .object(kept.map { JSON.Member($0.name.string, plain($0.value)) })
        default: return json
        }
    }

    private static func float(_ bits: String) -> String {
        UInt32(bits, radix: 16).map { Float(bitPattern: $0).isNaN } == true ? "nan" : bits
    }

    private static func double(_ bits: String) -> String {
        UInt64(bits, radix: 16).map { Double(bitPattern: $0).isNaN } == true ? "nan" : bits
    }

    // MARK: - What is said

    @Test func `a plan tells classes, indexes, the schema version, and what is left out`() throws {
        let plan = try RealmImport(Sample(name: "12-schema-version-7").path, key: nil).plan
        #expect(
            plan.text == """
                The Realm file has 4 objects in 3 classes:
                  Child: 1 embedded objects, 1 properties
                  Dog: 2 objects, 3 properties, primary key '_id', 1 indexed
                  Owner: 2 objects, 5 properties, primary key 'id', 1 indexed
                Schema version of the app: 7
                Not imported:
                  table 'metadata', which holds no objects of an app
                """)
        let tombstones = try RealmImport(Sample(name: "10-tombstones").path, key: nil).plan
        #expect(tombstones.leftOut.contains("2 tombstones of class 'Target': links to them are null"))
    }

    @Test func `an import into a file that has the objects fails, skips or replaces them`() throws {
        let realm = try RealmImport(Sample(name: "12-schema-version-7").path, key: nil)
        _ = try realm.run(to: folder.file("file"), key: nil)
        let failure = try #require(throws: FileFailure.self) { _ = try realm.run(to: folder.file("file"), key: nil) }
        #expect(failure.description.hasPrefix("Object 1 of '"))
        #expect(failure.description.contains("of class 'Dog': The file has the object"))
        #expect(failure.description.hasSuffix("Nothing was imported."))
        #expect(try realm.run(to: folder.file("file"), key: nil, existing: .skip).report.skipped == 4)
        #expect(try realm.run(to: folder.file("file"), key: nil, existing: .replace).report.replaced == 4)
    }

    @Test func `a damaged file imports nothing and says where`() throws {
        var bytes = try Sample(name: "01-scalars").bytes()
        bytes[11_593] = 0x7F
        folder.write(bytes, to: "damaged")
        let failure = try #require(throws: FileFailure.self) {
            _ = try RealmImport(folder.file("damaged"), key: nil).run(to: folder.file("file"), key: nil)
        }
        #expect(failure.description.contains("leads to byte 32656 of 23184"))
        #expect(!folder.names.contains("file"))
    }

    @Test func `strings that are not UTF-8 are imported as far as they can be read, and counted`() throws {
        var bytes = try Sample(name: "12-schema-version-7").bytes()
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("Fido".utf8)) })
        bytes[place] = 0xFF
        folder.write(bytes, to: "realm")
        let losses = try RealmImport(folder.file("realm"), key: nil).check()
        #expect(losses.count == 1 && losses.first?.contains("are not UTF-8") == true)
    }
}
