import ArgumentParser
import Testing

@testable import CausewayDaemon

/// Which configuration a command reads.
@Suite struct ConfigurationOptionTests {
    @Test("A named file is read, whatever else is there")
    func named() throws {
        #expect(try ConfigurationOption.parse(["--configuration", "mine.yaml"]).file == "mine.yaml")
        #expect(try ConfigurationOption.parse(["-c", "mine.yaml"]).file == "mine.yaml")
    }

    @Test(
        "The file of this folder comes before the package's, which is read only where it is installed",
        arguments: [
            (["sync-server.yaml", "/etc/causeway/sync-server.yaml"], "sync-server.yaml"),
            (["sync-server.yaml"], "sync-server.yaml"),
            (["/etc/causeway/sync-server.yaml"], "/etc/causeway/sync-server.yaml"),
            ([], "sync-server.yaml"),
        ])
    func found(files: [String], read: String) {
        #expect(ConfigurationOption.found { files.contains($0) } == read)
    }
}
