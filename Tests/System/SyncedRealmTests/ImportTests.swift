import Causeway
import CausewayFiles
import Foundation
import Testing

/// `causeway import` into the file of a synced Realm, as another program does it.
@Suite("Imports into synced Realms", .serialized)
@MainActor
struct ImportTests {
    @Test("the server and other devices get the objects with their links, while the app has the file open")
    func whileOpen() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a", initial: ChoreExport.all)
        let a = try Realm(configuration: configuration)
        try a.write { a.create(Chore.self, value: ["id": 100_000, "title": "the app's own"]) }
        let path = try #require(configuration.fileURL).path
        let export = try ChoreExport.write(2_500, to: bench.folder)
        let report = try await Task.detached { try ObjectImport().run(from: export, to: path, key: nil) }.value
        #expect(report.created == 5_000 && report.isForSyncedFile)
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 100_000).map { a.delete($0) } }
        try await a.syncSession?.wait(for: .upload)
        try ChoreExport.check(a, 2_500)
        let b = try Realm(configuration: try await bench.configuration("b", initial: ChoreExport.all))
        try await b.syncSession?.wait(for: .download)
        try ChoreExport.check(b, 2_500)
        #expect(!FileManager.default.fileExists(atPath: path + ".importing"))
        await bench.end()
    }

    @Test("what is wrong with an import writes and sends nothing")
    func refusals() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a", initial: ChoreExport.all)
        let a = try Realm(configuration: configuration)
        try a.write { a.create(Chore.self, value: ["id": 7, "title": "mine"]) }
        try await a.syncSession?.wait(for: .upload)
        let path = try #require(configuration.fileURL).path
        func refusal(_ text: String, _ existing: ObjectImport.Existing = .fail) throws -> String {
            let export = try ChoreExport.write(text, to: bench.folder)
            return #expect(throws: FileFailure.self) {
                try ObjectImport(existing: existing).run(from: export, to: path, key: nil)
            }?.description ?? ""
        }
        let text = ChoreExport.text(2_500)
        #expect(try refusal(text).contains("has the object 7 of class 'Chore' already"))
        let last = text.replacingOccurrences(of: #""title":"t2400""#, with: #""title":true"#)
        let broken = try refusal(last, .replace)
        #expect(broken.contains("Line 4800 of") && broken.hasSuffix("Nothing was imported."), "\(broken)")
        let cat =
            #"{"causewayExport":1,"classes":[{"name":"Cat","kind":"object","properties":[{"name":"id","type":"int","#
            + #""primaryKey":true}]}]}"#
        #expect(try refusal(cat, .replace).contains("The synced file has no class 'Cat'"))
        let height = text.replacingOccurrences(of: "age_in_years", with: "height")
        #expect(try refusal(height, .replace).contains("has no property 'height'"))
        a.refresh()
        #expect(a.objects(Chore.self).count == 1 && a.objects(Person.self).isEmpty)
        #expect(try await bench.chores(of: "b") == ["mine"])
        await bench.end()
    }

    @Test("objects that are there are replaced or left; what a closed file got is sent when it is opened")
    func existing() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a", initial: ChoreExport.all)
        do {
            let a = try Realm(configuration: configuration)
            try a.write {
                let bob = a.create(Person.self, value: ["name": "bob"])
                a.create(Chore.self, value: ["id": 1, "title": "mine", "labels": ["z"], "owner": bob])
            }
            try await a.syncSession?.wait(for: .upload)
        }
        let path = try #require(configuration.fileURL).path
        let export = try ChoreExport.write(3, to: bench.folder)
        let skipped = try ObjectImport(existing: .skip).run(from: export, to: path, key: nil)
        #expect(skipped.skipped == 1 && skipped.created == 5)
        do {
            let a = try Realm(configuration: configuration)
            try await a.syncSession?.wait(for: .upload)
        }
        #expect(try await bench.chores(of: "b") == ["mine", "t2", "t3"])
        let replaced = try ObjectImport(existing: .replace).run(from: export, to: path, key: nil)
        #expect(replaced.replaced == 6 && replaced.created == 0)
        let a = try Realm(configuration: configuration)
        try await a.syncSession?.wait(for: .upload)
        #expect(try await bench.chores(of: "c") == ["t1", "t2", "t3"])
        let first = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(first.owner?.name == "p1" && Set(first.labels) == ["a", "b"])
        await bench.end()
    }
}

extension Bench {
    /// The titles of the chores that a device gets, in the order of their ids.
    fileprivate func chores(of device: String) async throws -> [String] {
        let realm = try Realm(
            configuration: try await configuration(device, initial: { $0.append(QuerySubscription<Chore>()) }))
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        return realm.objects(Chore.self).sorted(byKeyPath: "id").map(\.title)
    }
}
