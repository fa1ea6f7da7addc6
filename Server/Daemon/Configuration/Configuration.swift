import CausewayIdentity
import CausewayLimits
import CausewayTelemetry

/// The operator's settings: read from one YAML file, checked for sense, not yet checked against the disk.
struct Configuration: Hashable, Sendable {
    var listen = Listen()
    /// Nil when back ends are not served.
    var api: Listen?
    var tls = TLS()
    var databases: [Database] = []
    /// The folder of files with a database each, to which calls of the admin API add; nil when there is none.
    var databasesFolder: String?
    /// The databases that have a file there.
    var databasesWithFile: Set<String> = []
    var tokens = Tokens()
    /// Nil when the server keeps no accounts.
    var accounts: Accounts?
    /// Nil when there is no admin listener.
    var admin: Admin?
    var limits = Limits()
    /// Nil when the server makes no backups by itself.
    var backups: Backups?
    /// Nil when each database is a file of this server alone.
    var journal: Journal?
    var log = Log()

    struct Listen: Hashable, Sendable {
        var host = "0.0.0.0"
        var port = 7443

        /// Where back ends are served, if the configuration does not say where.
        static let backEnds = Listen(host: "127.0.0.1", port: 7445)
    }

    struct TLS: Hashable, Sendable {
        /// A PEM chain, the server's own certificate first.
        var certificate = ""
        var key = ""
    }

    struct Database: Hashable, Sendable {
        /// As it stands in URLs: `/v1/{name}/…`.
        var name: String
        var folder: String
        /// Nil when everybody may read and write everything.
        var permissions: PermissionRules?
        /// Whose tokens this database accepts; nil when it accepts those of the section `tokens`.
        var tokens: Tokens?
        /// What carries its changes and its one-way objects on.
        var carriers = Carriers()
        /// Nil when those of the section `limits` hold.
        var limits: Limits?
    }

    func limits(of database: Database) -> Limits { database.limits ?? limits }

    /// Whose tokens a database accepts.
    func tokens(of database: Database) -> Tokens { database.tokens ?? tokens }

    struct Tokens: Hashable, Sendable {
        var keys: [Key] = []
        /// The file of a JWKS document.
        var keySet: String?
        var issuers: [String] = []
        var audiences: [String] = []
        var userClaim = "sub"
        var notBeforeLeewaySeconds = 60

        struct Key: Hashable, Sendable {
            var file: String
            var algorithm: SigningAlgorithm
            var id: String?
        }
    }

    struct Accounts: Hashable, Sendable {
        var rules = AccountRules()
        /// The operator's program and its arguments; empty when messages go to the log.
        var program: [String] = []
        var providers: [Provider] = []
        var functions: [Function] = []

        /// A program that apps call by a name.
        struct Function: Hashable, Sendable {
            var name: String
            var program: [String]
        }

        /// A provider whose id tokens log in as users of their own.
        struct Provider: Hashable, Sendable {
            var name: Name
            /// The file of a JWKS document.
            var keySet: String
            var issuers: [String]
            var audiences: [String]

            enum Name: String, CaseIterable, Sendable {
                case apple
                case google
                case facebook

                /// As devices write it.
                var provider: String { "oauth2-" + rawValue }
            }
        }
    }

    struct Limits: Hashable, Sendable {
        var connections = 10_000
        var connectionsOfAddress = 1_000
        /// Connections whose TLS handshake is not over.
        var handshakes = 4_000
        var handshakesOfAddress = 500
        /// What addresses, users, clients and databases may do in a time.
        var rates = Rates.standard
        /// How large the newest state of each database may become.
        var storageMegabytes = 65_536
        /// How many objects that exist the devices of one user may have created in each database.
        var objectsOfUser = 10_000_000
        /// The largest payload of a frame, after decompression.
        var frameMegabytes = 16
        /// How far a download may run ahead of what its device has consumed.
        var creditKilobytes = 1_024
        var heartbeatSeconds = 30
        /// How far back a device may be and still catch up with changes alone.
        var historyVersions = 1_000_000
        var historyMegabytes = 1_024
        var historyDays = 30
        /// After how many days in which nothing was heard of a client less is kept of it.
        var clientDays = 365
        /// How many operations one upload may have, how many of one transaction may be refused, and how many terms all
        /// queries of a device may have.
        var operations = 100_000
        var refusals = 10_000
        var queryTerms = 4_000
        /// How many sessions there may be in each database, and what those of one user may take.
        var sessions = 20_000
        var sessionsOfUser = 2_000
        var queryMegabytesOfUser = 32
        /// How many devices may download everything that they want at a time.
        var beginnings = 5_000
        /// Of how many sessions in a hundred that sleep on it is checked whether nothing concerns them.
        var looksCheckedPercent = 0
        /// How many classes and properties each database may have, and how many of them one user may add.
        var schemaClasses = 1_000
        var schemaProperties = 20_000
        var schemaClassesOfUser = 250
        var schemaPropertiesOfUser = 5_000
        /// How long commits and streams have to end after SIGTERM.
        var gracefulEndSeconds = 20
    }

    struct Log: Hashable, Sendable {
        var level = Level.info
        var format = Format.text
        /// Where administration and security events go; nil when they go nowhere.
        var audit: AuditLog.Target?
        /// Commits and queries that take as long are logged.
        var slowMilliseconds = 1_000

        enum Level: String, CaseIterable, Sendable {
            case trace
            case debug
            case info
            case notice
            case warning
            case error
            case critical
        }

        enum Format: String, CaseIterable, Sendable {
            case text
            case json
        }
    }
}
