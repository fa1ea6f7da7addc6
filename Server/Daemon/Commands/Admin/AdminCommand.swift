import ArgumentParser
import Foundation

struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Looks after a running server, through its admin listener.",
        discussion: """
            Everything here is a call of the admin API, which Server/Admin/ADMIN.md describes. Without further options the \
            address and the token are those of the configuration on this machine.
              sync-server admin databases list
              sync-server admin sessions list --database flights --user ada
              sync-server admin users shut-out --database flights --user mallory --note "stolen phone"
              sync-server admin reload
              sync-server admin databases list --address https://sync.example.org:7444 --token-file token
            """,
        subcommands: [
            AdminDatabases.self, AdminObjects.self, AdminSessions.self, AdminUsers.self, AdminClients.self,
            AdminAccounts.self, AdminBackups.self, AdminVerify.self, AdminPermissions.self, AdminSchema.self,
            AdminRefusals.self, AdminNodes.self, AdminJournal.self, AdminLog.self, AdminEvents.self, AdminReload.self,
            AdminConfiguration.self,
        ]
    )
}

/// With what `sync-server admin` ends besides 0 and 1; ADMIN.md names them.
enum AdminExit {
    /// Nothing was done, because it has to be confirmed first.
    static let unconfirmed = ExitCode(3)
}

/// How to reach the admin listener, and how to print what it answers.
struct AdminOptions: ParsableArguments {
    @OptionGroup var option: ConfigurationOption

    @Option(help: "The admin listener of another server, such as https://sync.example.org:7444.")
    var address: String?

    @Option(help: "The file of the administrator's token; left out: the one of the configuration.")
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of the authorities that the server's certificate is checked with.",
            discussion:
                "Left out: the certificate that the configuration names is trusted and no other, or with --address those that the system's authorities have signed."
        ))
    var certificateAuthority: String?

    @Option(help: "A PEM file of a certificate that admin.clientAuthorities of the server have signed.")
    var clientCertificate: String?

    @Option(help: "The PEM file of the key of --client-certificate.")
    var clientKey: String?

    @Flag(help: "Print the answer as JSON.")
    var json = false

    func validate() throws {
        guard (clientCertificate == nil) == (clientKey == nil) else {
            throw ValidationError("--client-certificate and --client-key go together: name both.")
        }
    }

    func client() throws -> AdminClient {
        if let address {
            return AdminClient(
                address: address, token: try tokenFile.map(Self.token), trust: trust(orElse: .ofSystem))
        }
        let configuration = try option.read()
        guard let admin = configuration.admin else {
            throw CommandFailure(
                "\(option.file) has no section admin, so the server has no admin listener. Add one, or name the listener of "
                    + "another server with --address.")
        }
        return AdminClient(
            address: admin.address, token: try (tokenFile ?? admin.tokenFile).map(Self.token),
            trust: trust(orElse: .showing(file: configuration.tls.certificate)))
    }

    private func trust(orElse standard: AdminTrust.Servers) -> AdminTrust {
        var trust = AdminTrust(servers: certificateAuthority.map { .ofAuthorities(file: $0) } ?? standard)
        if let clientCertificate, let clientKey {
            trust.identity = AdminTrust.Identity(certificate: clientCertificate, key: clientKey)
        }
        return trust
    }

    static func token(in file: String) throws(CommandFailure) -> String {
        guard let data = FileManager.default.contents(atPath: file), let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure("The token's file \(file) cannot be read. Run this as a user who may read it.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension Configuration.Admin {
    /// Where programs of this machine call it.
    var address: String {
        let isEverywhere = host == "0.0.0.0" || host == "::"
        let name = isEverywhere ? "localhost" : host.contains(":") ? "[\(host)]" : host
        return "\(usesTLS ? "https" : "http")://\(name):\(port)"
    }
}

/// A database of the server that is asked.
struct AdminDatabaseOption: ParsableArguments {
    @OptionGroup var options: AdminOptions

    @Option(help: "The database's name.")
    var database: String

    var path: [String] { ["databases", database] }
}
