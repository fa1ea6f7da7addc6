import CausewayModel
import CausewayObjectStore
import CausewaySyncedFile
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Causeway

@Suite("Copies of a synced file to one path")
struct SyncedCopyTests {
    private static let rows: Int64 = 5_000

    private func withFile(_ body: (_ folder: URL, SyncedFile) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ObjectStore.open(path: folder.appendingPathComponent("synced").path)
        let file = try SyncedFile(store, owner: SyncedFile.Owner(userID: "ann", appID: "notes"))
        let writing = try store.write()
        try writing.extendSchema(
            CausewayModel.Schema([
                ClassSchema(name: "Note", properties: [.init(name: "id", type: .int, isPrimaryKey: true)])
            ]))
        let notes = try #require(writing.table("Note"))
        for id in 0..<Self.rows { _ = try notes.create(.int(id)) }
        _ = try writing.commit()
        writing.end()
        try body(folder, file)
    }

    private func check(_ path: String) throws {
        let store = try ObjectStore.open(path: path)
        #expect(try store.verify().problems == [])
        let reading = try store.read()
        defer { reading.end() }
        #expect(reading.table("Note")?.count == Int(Self.rows))
    }

    private func leftovers(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.contains("copying") || $0.contains("part")
        }
    }

    @Test("of several at once one succeeds, with a whole file, and the others are told why not")
    func several() throws {
        try withFile { folder, file in
            for round in 0..<20 {
                let path = folder.appendingPathComponent("copy \(round)").path
                let codes = Mutex<[StoreError.Code?]>([])
                DispatchQueue.concurrentPerform(iterations: 6) { _ in
                    var code: StoreError.Code?
                    do {
                        try file.copy(to: path, key: nil, as: .local)
                    } catch let error as StoreError {
                        code = error.code
                    } catch {
                        code = StoreError.Code("\(error)")
                    }
                    codes.withLock { $0.append(code) }
                }
                let told = codes.withLock { $0 }
                #expect(told.count { $0 == nil } == 1)
                #expect(told.allSatisfy { $0 == nil || $0 == .fileExists || $0 == .locked }, "\(told)")
                try check(path)
            }
            #expect(try leftovers(folder) == [])
        }
    }

    @Test("what one left that was cut short is no obstacle, and one that is under way is left alone")
    func leftover() throws {
        try withFile { folder, file in
            let path = folder.appendingPathComponent("copy").path
            for suffix in [".copying", ".copying-lock", ".copying-turn", ".part"] {
                try Data("cut short".utf8).write(to: URL(fileURLWithPath: path + suffix))
            }
            do {
                let other = try CopyLock(forCopyTo: path)
                #expect {
                    try file.copy(to: path, key: nil, as: .local)
                } throws: { ($0 as? StoreError)?.code == .locked }
                #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".copying")) == Data("cut short".utf8))
                withExtendedLifetime(other) {}
            }
            try file.copy(to: path, key: nil, as: .local)
            try check(path)
            #expect(try leftovers(folder) == [])
        }
    }
}
