import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Files that are no record")
struct ForeignFileTests {
    @Test("a file that an app has written is refused as it is; an empty one becomes a record")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("database.causeway")
        let store = try ObjectStore.open(path: path)
        store.close()
        try StoreEmbedded.open(folder: folder.path, epochSeed: 1).close()
        try FileManager.default.removeItem(atPath: path)

        let local = try ObjectStore.open(path: path)
        let transaction = try local.write()
        try transaction.extendSchema(
            Schema([ClassSchema(name: "Dog", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])]))
        try transaction.commit()
        transaction.end()
        local.close()
        let before = try Data(contentsOf: URL(filePath: path))
        for open in [
            { try StoreEmbedded.open(folder: folder.path, epochSeed: 1) },
            { try StoreEmbedded.openReplica(folder: folder.path, of: 1) },
        ] {
            #expect { try open() } throws: {
                ($0 as? StoreFailure)?.message.contains("was written by an app or by the tool 'causeway'") == true
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}
