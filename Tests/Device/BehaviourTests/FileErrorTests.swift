import Causeway
import Foundation
import Testing

/// Files that are not what they should be: each is an error with cause and remedy, and the file is left as it was.
@Suite("A file that cannot be used is an error")
struct FileErrorTests {
    private func opening(_ url: URL, _ types: [ObjectBase.Type] = readPage, readOnly: Bool = false) throws -> Realm {
        try Realm(configuration: Realm.Configuration(fileURL: url, readOnly: readOnly, objectTypes: types))
    }

    /// The error that opening gives; a test failure when it gives none.
    private func refusal(
        _ url: URL, _ types: [ObjectBase.Type] = readPage, readOnly: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Realm.Error? {
        do {
            _ = try opening(url, types, readOnly: readOnly)
            Issue.record("opening \(url.lastPathComponent) succeeded", sourceLocation: sourceLocation)
        } catch let error as Realm.Error {
            return error
        } catch {
            Issue.record("not a Realm.Error: \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }

    private func makeRealm(at url: URL, dogs: Int = 2_000) throws {
        let realm = try opening(url)
        try realm.write {
            for number in 0..<dogs {
                realm.create(Dog.self, value: ["name": "A dog with the number \(number)", "age": number])
            }
        }
    }

    @Test("a file that is not a database", arguments: [16, 300, 4_096, 70_000])
    func notADatabase(bytes: Int) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("text.realm")
            let content = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            try content.write(to: url)
            let error = refusal(url)
            #expect(error?.code == .invalidDatabase)
            #expect(error?.fileURL == url)
            #expect(try Data(contentsOf: url) == content, "the file is left alone")
        }
    }

    @Test("a folder where the file should be")
    func folder() throws {
        try withTemporaryFolder { folder in
            let error = refusal(folder)
            #expect(error != nil)
        }
    }

    @Test("a file that was cut off", arguments: [0.1, 0.5, 0.9])
    func truncated(share: Double) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("whole.realm")
            try makeRealm(at: url)
            let whole = try Data(contentsOf: url)
            let cut = folder.appendingPathComponent("cut.realm")
            // Behind what is used the file has room that was set aside and may go.
            let usedCount = try #require(whole.lastIndex { $0 != 0 }) + 1
            let content = whole.prefix(Int(Double(usedCount) * share))
            try content.write(to: cut)
            let error = refusal(cut)
            #expect(error?.code == .invalidDatabase)
            #expect(error?.localizedDescription.isEmpty == false)
            #expect(try Data(contentsOf: cut) == content, "the file is left alone")
        }
    }

    @Test("a file whose classes are others than the program's")
    func foreignSchema() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("dogs.realm")
            try makeRealm(at: url, dogs: 3)
            let error = refusal(url, [ForeignSchema.Dog.self])
            #expect(error?.code == .schemaMismatch)
            let message = error?.localizedDescription ?? ""
            #expect(message.contains("Migration is required due to the following errors:"))
            #expect(message.contains("- Property 'Dog.age' has been changed from 'int' to 'string'."))
            #expect(message.contains("- Property 'Dog.name' has been made optional."))
            #expect(message.contains("Primary Key for class 'Dog' has been removed."))
            #expect(try opening(url).objects(Dog.self).count == 3, "the file is left alone")
        }
    }

    @Test("a read-only Realm without a file")
    func readOnlyWithoutFile() throws {
        try withTemporaryFolder { folder in
            let error = refusal(folder.appendingPathComponent("none.realm"), readOnly: true)
            #expect(error?.code == .fileNotFound)
        }
    }

    @Test("a file that may not be read", .enabled(if: getuid() != 0, "the superuser may read everything"))
    func noPermission() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("secret.realm")
            try makeRealm(at: url, dogs: 1)
            chmod(url.path, 0)
            do {
                _ = try opening(url)
                Issue.record("it was opened")
            } catch Realm.Error.filePermissionDenied {
                // As it should be, and by the pattern of RealmSwift.
            }
        }
    }

    @Test("a folder that does not exist and cannot be made")
    func noFolder() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            let error = refusal(file.appendingPathComponent("below").appendingPathComponent("x.realm"))
            #expect(error != nil)
        }
    }

    @Test("an error in a write block undoes the block and is thrown on")
    func rollback() throws {
        struct Refused: Error {}
        let realm = try memoryRealm(readPage)
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        let added = Dog(value: ["name": "Wolfie"])
        #expect(throws: Refused.self) {
            try realm.write {
                realm.objects(Dog.self)[0].name = "Changed"
                realm.add(added)
                throw Refused()
            }
        }
        #expect(names(realm.objects(Dog.self)) == ["Rex"])
        #expect(added.isInvalidated)
        #expect(!realm.isInWriteTransaction)
    }
}

/// A class that another program might have stored under the same name.
private enum ForeignSchema {
    class Dog: Object {
        @Persisted var name: String?
        @Persisted var age: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
