import CausewayFolders
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("A replica that is not to be served")
struct StoppedReplicaTests {
    @Test("the note counts for the very file that it is about")
    func note() throws {
        let folder = try TemporaryFolder()
        let (file, replica) = (folder.file(StoreEmbedded.fileName), StoppedReplica(inFolder: folder.path))
        #expect(replica.reason == nil)
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(replica.note(ReplicaEnd(.operatorNeeded, "Too old.")) == "Too old.")
        #expect(replica.reason == nil)
        let told = replica.note(ReplicaEnd(.stateDiffers, "Different.\nVery."))
        #expect(told.hasPrefix("Different.\nVery. Keep a copy of \(file)") && replica.reason == told)
        #expect(StoppedReplica(inFolder: folder.path).reason == told)
        // Without the file the node makes it again, and a note of before means nothing then.
        try FileManager.default.removeItem(atPath: file)
        #expect(replica.reason == nil)
        try Data([2]).write(to: URL(fileURLWithPath: file))
        #expect(replica.reason == nil)
        // Nor for another file in its place.
        _ = replica.note(ReplicaEnd(.stateDiffers, "Different."))
        try Data([3]).write(to: URL(fileURLWithPath: file + ".new"))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: file + ".new", toPath: file)
        #expect(replica.reason == nil)
    }
}
