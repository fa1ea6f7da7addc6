import ArgumentParser
import CausewayFolders
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("sync-server verify")
struct VerifyTests {
    @Test("a folder that is not there, and both a folder and a configuration, are refused")
    func refusals() throws {
        let folder = try TemporaryFolder()
        #expect(throws: CommandFailure.self) { try Verify.parse([folder.file("nothing")]).run() }
        #expect(throws: CommandFailure.self) { try Verify.parse([]).run() }
        #expect(throws: CommandFailure.self) {
            try Verify.parse([folder.path, "--configuration", "sync-server.yaml"]).run()
        }
    }

    @Test("a file that is no database ends with 1, a folder that was never served does not")
    func ends() throws {
        let folder = try TemporaryFolder()
        try Verify.parse([folder.path]).run()
        folder.write([UInt8](repeating: 7, count: 20_000), to: "database.causeway")
        #expect(throws: ExitCode.failure) { try Verify.parse([folder.path]).run() }
    }
}
