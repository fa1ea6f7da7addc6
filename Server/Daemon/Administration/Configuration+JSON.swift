import CausewayAdmin
import CausewayIdentity
import CausewayJSON
import CausewayTelemetry

// The configuration as administrators see it. Files of keys and tokens are named; what is in them is no part of it.

extension Configuration {
    func append(to json: inout JSONWriter) {
        json.object { json in
            json.name("listen")
            Self.write(listen.host, listen.port, to: &json)
            if let api {
                json.name("api")
                Self.write(api.host, api.port, to: &json)
            }
            if let admin {
                json.name("admin")
                json.write(admin)
            }
            json.name("tls")
            json.object { json in
                json.field("certificate", tls.certificate)
                json.field("key", tls.key)
            }
            json.name("tokens")
            json.write(tokens)
            json.name("databases")
            json.array(databases) { database, json in write(database, to: &json) }
            json.field("databasesFolder", ifAny: databasesFolder)
            json.field("accounts", accounts?.summary ?? "none")
            json.field("backups", backups?.summary ?? "none")
            json.name("limits")
            json.object { json in
                for (name, value) in limits.named { json.field(name, value) }
            }
            json.name("log")
            json.object { json in
                json.field("level", log.level.rawValue)
                json.field("format", log.format.rawValue)
                json.field("slowMilliseconds", log.slowMilliseconds)
                json.field("audit", log.audit?.text ?? "none")
            }
        }
    }

    private static func write(_ host: String, _ port: Int, to json: inout JSONWriter) {
        json.object { json in
            json.field("host", host)
            json.field("port", port)
        }
    }

    private func write(_ database: Database, to json: inout JSONWriter) {
        json.object { json in
            json.field("name", database.name)
            json.field("folder", database.folder)
            json.field("hasFile", databasesWithFile.contains(database.name))
            json.field("hasPermissions", database.permissions != nil)
            if let tokens = database.tokens {
                json.name("tokens")
                json.write(tokens)
            }
            json.name("webhooks")
            json.array(database.carriers.webhooks) { $1.write($0.name) }
            json.name("sinks")
            json.array(database.carriers.sinks) { $1.write($0.name) }
        }
    }
}

extension AuditLog.Target {
    /// As the configuration has it.
    fileprivate var text: String {
        switch self {
        case .standardOutput: "stdout"
        case .file(let path): path
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ admin: Configuration.Admin) {
        object { json in
            json.field("host", admin.host)
            json.field("port", admin.port)
            json.field("tokenFile", ifAny: admin.tokenFile)
            json.field("clientAuthorities", ifAny: admin.clientAuthorities)
            json.field("metricsWithoutToken", admin.metricsWithoutToken)
        }
    }

    fileprivate mutating func write(_ tokens: Configuration.Tokens) {
        object { json in
            json.name("keys")
            json.array(tokens.keys) { key, json in
                json.object { json in
                    json.field("file", key.file)
                    json.field("algorithm", key.algorithm.rawValue)
                    json.field("id", ifAny: key.id)
                }
            }
            json.field("keySet", ifAny: tokens.keySet)
            json.name("issuers")
            json.array(tokens.issuers) { $1.write($0) }
            json.name("audiences")
            json.array(tokens.audiences) { $1.write($0) }
            json.field("userClaim", tokens.userClaim)
        }
    }
}
