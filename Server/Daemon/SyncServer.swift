import ArgumentParser
import CausewayEnvironment

/// The `sync-server` program.
@main
struct SyncServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-server",
        abstract: "Merges what devices write offline, and sends each of them the part it subscribes to.",
        discussion: """
            First steps, for development:
              sync-server keys --folder keys
              cp deploy/sync-server.example.yaml sync-server.yaml
              sync-server check
              sync-server serve
            """,
        version: Release.version,
        subcommands: [
            Serve.self, Check.self, TokenCommand.self, Keys.self, QueryCommand.self, Verify.self, SchemaCommand.self,
            PermissionsCommand.self,
            AccountsCommand.self, BackupCommand.self, RestoreCommand.self, JournalCommand.self, AdminCommand.self,
        ]
    )
}
