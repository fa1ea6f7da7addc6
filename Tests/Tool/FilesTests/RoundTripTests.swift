import CausewayFiles
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import Foundation
import Testing

@Suite("An export, its import, and the export of that")
struct RoundTripTests {
    private static let key = [UInt8](repeating: 9, count: FileKey.byteCount)
    private static let seeds = SeedList.drawn(for: "export", count: 12)

    /// Exports a file, imports that into a new one, and exports the new one.
    private func roundTrip(_ folder: TemporaryFolder, key: [UInt8]? = nil) throws -> (first: [UInt8], second: [UInt8]) {
        let first = try Exports.write(folder.file("source"), to: folder.file("first"), key: key)
        let report = try ObjectImport().run(from: folder.file("first"), to: folder.file("target"), key: key)
        #expect(report.missingLinks == 0)
        #expect(!folder.names.contains { $0.hasSuffix(".importing") })
        let second = try Exports.write(folder.file("target"), to: folder.file("second"), key: key)
        let target = try OpenedFile.inspect(folder.file("target"), key: key)
        defer { target.close() }
        #expect(try FileMaintenance.verify(target).isSound)
        return (first, second)
    }

    @Test(arguments: seeds) func `generated files of every type give the same bytes`(_ seed: UInt64) throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let key = seed % 2 == 0 ? Self.key : nil
        try GeneratedFile.make(folder.file("source"), key: key, seed: seed)
        let (first, second) = try roundTrip(folder, key: key)
        #expect(first == second)
        let text = String(decoding: first, as: UTF8.self)
        for form in [
            "$oid", "$uuid", "$date", "$binary", "$numberDecimal", "$numberFloat", "$number\"", "$id", "$map", "[[",
        ] {
            #expect(text.contains(form), "\(form) is in no value")
        }
    }

    @Test func `keys of every shape, NaN, -0, null, U+0000 and names that begin with a dollar sign stay`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let schema = Schema([
            ClassSchema(
                name: "Thing",
                properties: [
                    Property(name: "number", type: .double, isOptional: true),
                    Property(name: "$tag", type: .string),
                    Property(name: "map", type: .mixed, collection: .map, isOptional: true),
                    Property(name: "big", type: .int, collection: .list),
                ])
        ])
        let names = [
            "", "$ref", "$map", "a\u{308}", "ä", "x\u{0}y", "\"\\\n", "日本", String(repeating: "long", count: 200),
        ]
        try Files.change(folder.file("source"), schema) { transaction in
            let table = try #require(transaction.table("Thing"))
            for value in [
                Value.double(.nan), .double(-0.0), .double(.infinity), .null, .double(.leastNonzeroMagnitude),
            ] {
                let key = try table.create(nil, row: [value, .string("\u{0}"), .null, .null])
                table.mapReplace(key, 2, names.enumerated().map { ($1, .int(Int64($0) << 55)) })
            }
            let huge = try table.create(nil)
            table.listReplace(huge, 3, (0..<50_000).map { .int(Int64($0)) })
        }
        let (first, second) = try roundTrip(folder)
        #expect(first == second)
        let text = String(decoding: first, as: UTF8.self)
        #expect(text.contains(#""$map":{"":0,"#))
        #expect(text.contains(#""number":0,"object":{"number":{"$numberDouble":"NaN"},"$tag":"\u0000""#))
        #expect(text.contains(#"{"number":-0.0,"#))
    }

    @Test func `a part of a file takes the classes that it leads to, and a query keeps its order`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try Files.makeHomes(folder.file("source"), dogs: 3)
        let lines = try Exports.lines(
            folder.file("source"), ObjectExport(classNames: ["Dog"], query: "id > 1 SORT(id DESC)"))
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix(#"{"causewayExport":1,"objects":2,"classes":[{"name":"Dog","kind":"object""#))
        #expect(lines[0].contains(#"{"name":"Home""#))
        #expect(lines[1] == #"{"class":"Dog","object":{"id":3,"name":"Rex 3","home":{"$ref":"Home","$number":0}}}"#)
        #expect(lines[2].contains(#""id":2"#))
        #expect(throws: FileFailure.self) { try ObjectExport(query: "id > 1") }
        #expect(throws: FileFailure.self) {
            try Exports.lines(folder.file("source"), ObjectExport(classNames: ["Cat"]))
        }
    }

    @Test func `the order of links in a mixed set does not depend on the order in which classes were added`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let later = ClassSchema(name: "Zebra", properties: [Property(name: "stripes", type: .int)])
        let earlier = ClassSchema(
            name: "Ant", properties: [Property(name: "all", type: .mixed, collection: .set, isOptional: true)])
        try Files.change(folder.file("source"), Schema([later])) { _ in }
        try Files.change(folder.file("source"), Schema([earlier])) { transaction in
            let tables = try ["Zebra", "Ant"].map { try #require(transaction.table($0)) }
            var links: [Value] = [.string("a")]
            for table in tables {
                for _ in 0..<2 { links.append(.anyObject(ClassedKey(table.number, try table.create(nil)))) }
            }
            tables[1].setReplace(ObjectKey(0), 0, links)
        }
        let (first, second) = try roundTrip(folder)
        #expect(first == second)
        let ant = #"{"$ref":"Ant","$number":0},{"$ref":"Ant","$number":1}"#
        #expect(String(decoding: first, as: UTF8.self).contains("[\"a\",\(ant),{\"$ref\":\"Zebra\""))
    }

    @Test func `an export of format 1 is read for ever`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let vector = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Vectors/exports/format-1.jsonl").standardizedFileURL
        let report = try ObjectImport().run(from: vector.path, to: folder.file("target"), key: nil)
        #expect(report.created == 5)
        let exported = try Exports.write(folder.file("target"), to: folder.file("exported"))
        #expect(String(decoding: exported, as: UTF8.self) == (try String(contentsOf: vector, encoding: .utf8)))
    }

    @Test func `what another transaction writes meanwhile is not exported`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try Files.makeHomes(folder.file("source"), dogs: 4_000)
        let before = try Exports.write(folder.file("source"), to: folder.file("before"))
        let file = try OpenedFile.inspect(folder.file("source"), key: nil)
        defer { file.close() }
        let writer = try ObjectStore.open(path: folder.file("source"))
        defer { writer.close() }
        let output = try ExportOutput(path: folder.file("meanwhile"))
        var failure: (any Error)?
        var commits = 0
        try ObjectExport().write(file, to: output) { count in
            guard count % 1_000 == 1 else { return }
            do {
                let write = try writer.write()
                defer { write.end() }
                guard let dogs = write.table("Dog") else { return }
                for key in dogs.allKeys { dogs.set(key, 1, .string("Changed")) }
                dogs.delete(dogs.allKeys.last ?? ObjectKey(0))
                _ = try dogs.create(.int(Int64(-count)))
                try write.commit()
                commits += 1
            } catch {
                failure = error
            }
        }
        try output.finish()
        #expect(failure == nil)
        #expect(commits == 5)
        #expect(folder.read("meanwhile") == before)
    }

    @Test func `an export replaces no file, and leaves none that is not finished`() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        folder.write([1], to: "taken")
        #expect(throws: FileFailure.self) { try ExportOutput(path: folder.file("taken")) }
        #expect(folder.read("taken") == [1])
        try Files.makeHomes(folder.file("source"), dogs: 1)
        let file = try OpenedFile.inspect(folder.file("source"), key: nil)
        defer { file.close() }
        #expect(throws: FileFailure.self) {
            try ObjectExport(classNames: ["Cat"]).write(file, to: ExportOutput(path: folder.file("unfinished")))
        }
        #expect(!folder.names.contains("unfinished"))
    }
}
