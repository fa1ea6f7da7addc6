import CausewayIdentity
import CausewayLimits
import CausewayStore
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("The configuration file")
struct ConfigurationTests {
    private let least = """
        tls: {certificate: a.pem, key: b.pem}
        databases: [{name: flights, folder: data}]
        tokens:
          keys: [{file: t.pem, algorithm: ES256}]
        """

    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.read(text)
            return []
        } catch { return error.problems.map(\.description) }
    }

    @Test("the least file takes every default")
    func defaults() throws {
        let configuration = try Configuration.read(least)
        #expect(configuration.listen == Configuration.Listen())
        #expect(configuration.limits == Configuration.Limits())
        #expect(configuration.log == Configuration.Log())
        #expect(configuration.tls.certificate == "a.pem")
        #expect(configuration.databases == [Configuration.Database(name: "flights", folder: "data")])
        #expect(configuration.tokens.keys == [Configuration.Tokens.Key(file: "t.pem", algorithm: .es256, id: nil)])
    }

    @Test("permissions are read with their rules")
    func permissions() throws {
        let configuration = try Configuration.read(
            least.replacing(
                "databases: [{name: flights, folder: data}]",
                with: """
                    databases:
                      - name: flights
                        folder: data
                        permissions:
                          default: {read: false}
                          classes:
                            Task:
                              read: "owner == $user.id"
                              delete: false
                              properties:
                                salary: {read: "$user.claims.role == 'chief'", write: true}
                    """))
        let own = PermissionRules.Rule.when(try RuleTemplate("owner == $user.id"))
        let chief = PermissionRules.Rule.when(try RuleTemplate("$user.claims.role == 'chief'"))
        #expect(
            configuration.databases[0].permissions
                == PermissionRules(
                    byClass: [
                        "Task": .init(
                            read: own, delete: .never, properties: ["salary": .init(read: chief, write: .always)])
                    ], otherwise: .init(read: .never)))
        #expect(try Configuration.read(least).databases[0].permissions == nil)
    }

    @Test("what is wrong with a rule is told with its place")
    func wrongRules() {
        let found = problems(
            least.replacing(
                "databases: [{name: flights, folder: data}]",
                with: """
                    databases:
                      - name: flights
                        folder: data
                        permissions:
                          default: {reed: false}
                          classes:
                            Task:
                              read: "owner == $user.name"
                              write: "owner =="
                              create: ""
                              properties:
                                salary: {rite: false}
                    """))
        for place in [
            "line 6, databases[0].permissions.default.reed", "line 9, databases[0].permissions.classes.Task.read",
            "line 10, databases[0].permissions.classes.Task.write",
            "line 11, databases[0].permissions.classes.Task.create",
            "line 13, databases[0].permissions.classes.Task.properties.salary.rite",
        ] {
            #expect(found.contains { $0.hasPrefix(place) }, "\(place) of \(found)")
        }
        #expect(found.count == 5)
    }

    private func extending(_ schema: String) -> String {
        least.replacing("folder: data}", with: "folder: data, permissions: {schema: \(schema)}}")
    }

    @Test("who may extend the schema is everybody, nobody, or a matter of the caller")
    func schemaExtension() throws {
        let developer = "$user.claims.role == 'developer'"
        for (text, rule) in [
            ("{extend: true}", .always), ("{extend: false}", .never), ("{}", .always),
            ("{extend: \"\(developer)\"}", .when(try RuleTemplate(developer))),
        ] as [(String, PermissionRules.Rule)] {
            let configuration = try Configuration.read(extending(text))
            #expect(configuration.databases[0].permissions == PermissionRules(extendSchema: rule), "\(text)")
        }
        for (text, place, word) in [
            ("{extend: \"owner == $user.id\"}", "schema.extend", "no object"),
            ("{extend: \"$user.claims.role == 'a' OR level > 3\"}", "schema.extend", "no object"),
            ("{extend: \"$user.role == 'a'\"}", "schema.extend", "$user.role"),
            ("{extend: \"\"}", "schema.extend", "empty"), ("{extend: [true]}", "schema.extend", "one value"),
            ("{exten: false}", "schema.exten", "Did you mean extend?"), ("false", "schema", "keys with values"),
        ] {
            let found = problems(extending(text))
            #expect(found.count == 1, "\(text): \(found)")
            #expect(found.first?.hasPrefix("line 2, databases[0].permissions.\(place): ") == true, "\(text): \(found)")
            #expect(found.first?.contains(word) == true, "\(text): \(found)")
        }
    }

    @Test("every key is read")
    func everyKey() throws {
        let configuration = try Configuration.read(
            """
            listen: {host: 127.0.0.1, port: 0}
            tls: {certificate: a.pem, key: b.pem}
            databases:
              - {name: a, folder: x}
              - {name: b-2_C, folder: y}
            tokens:
              keys:
                - {file: t.pem, algorithm: EdDSA, id: one}
                - {file: s.base64, algorithm: HS256}
              keySet: jwks.json
              issuers: https://one
              audiences: [p, q]
              userClaim: uid
              notBeforeLeewaySeconds: 0
            limits:
              connections: 5
              handshakes: 4
              handshakesOfAddress: 3
              requestsPerSecondOfUser: 2
              burstSeconds: 9
              storageMegabytes: 77
              objectsOfUser: 78
              frameMegabytes: 1
              creditKilobytes: 64
              heartbeatSeconds: 1
              historyVersions: 1_000
              historyMegabytes: 16
              historyDays: 2
              clientDays: 3
              operations: 2_000
              refusals: 300
              queryTerms: 400
              sessions: 50
              sessionsOfUser: 6
              queryMegabytesOfUser: 7
              beginnings: 8
              schemaClasses: 80
              schemaProperties: 900
              schemaClassesOfUser: 0
              schemaPropertiesOfUser: 100
              gracefulEndSeconds: 1
            log: {level: debug, format: json}
            """)
        var rates = Rates.standard
        rates.amounts[.requestsPerSecondOfUser] = 2
        rates.burstSeconds = 9
        #expect(configuration.listen == Configuration.Listen(host: "127.0.0.1", port: 0))
        #expect(configuration.databases.map(\.name) == ["a", "b-2_C"])
        #expect(configuration.tokens.keys.map(\.id) == ["one", nil])
        #expect(configuration.tokens.keySet == "jwks.json")
        #expect(configuration.tokens.issuers == ["https://one"])
        #expect(configuration.tokens.audiences == ["p", "q"])
        #expect(configuration.tokens.userClaim == "uid")
        #expect(configuration.tokens.notBeforeLeewaySeconds == 0)
        #expect(
            configuration.limits
                == Configuration.Limits(
                    connections: 5, handshakes: 4, handshakesOfAddress: 3, rates: rates, storageMegabytes: 77,
                    objectsOfUser: 78,
                    frameMegabytes: 1, creditKilobytes: 64, heartbeatSeconds: 1, historyVersions: 1_000,
                    historyMegabytes: 16, historyDays: 2, clientDays: 3, operations: 2_000, refusals: 300,
                    queryTerms: 400,
                    sessions: 50, sessionsOfUser: 6, queryMegabytesOfUser: 7, beginnings: 8, schemaClasses: 80,
                    schemaProperties: 900,
                    schemaClassesOfUser: 0, schemaPropertiesOfUser: 100, gracefulEndSeconds: 1))
        #expect(configuration.log == Configuration.Log(level: .debug, format: .json))
    }

    @Test("the annotated example is a good configuration")
    func example() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../deploy/sync-server.example.yaml")
        let configuration = try Configuration.read(try String(contentsOf: file, encoding: .utf8))
        #expect(configuration.databases.map(\.name) == ["flights"])
        // Whoever begins with a copy of it lets nobody but developers add classes.
        #expect(configuration.databases[0].permissions?.extendSchema != .always)
        #expect(configuration.limits == Configuration.Limits())
        #expect(configuration.log == Configuration.Log())
    }

    @Test("every default that the example shows in a comment is the default")
    func exampleDefaults() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../deploy/sync-server.example.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        // Put the commented values of these three sections in force; those of tokens are examples, not defaults.
        let uncommented = text.replacing(/(?m)^  # (\w+): ([\w.]+)$/) { "  \($0.output.1): \($0.output.2)" }
        let configuration = try Configuration.read(
            uncommented.replacing("  enabled: false", with: "  enabled: true"))
        #expect(configuration.accounts == Configuration.Accounts())
        #expect(configuration.listen == Configuration.Listen())
        #expect(configuration.limits == Configuration.Limits())
        #expect(configuration.log == Configuration.Log())
        #expect(configuration.tokens.userClaim == "sub")
        #expect(configuration.tokens.notBeforeLeewaySeconds == 60)
    }

    @Test("an unknown key is an error that names its line and the nearest known key")
    func unknownKeys() {
        #expect(
            problems(least + "\nlimit: {}\n")
                == ["line 5, limit: The key is unknown. Did you mean limits?"])
        #expect(
            problems(least + "\nlimits:\n  framMegabytes: 3\n")
                == ["line 6, limits.framMegabytes: The key is unknown. Did you mean frameMegabytes?"])
        #expect(
            problems(least + "\nlisten: {address: 0.0.0.0}")
                == ["line 5, listen.address: The key is unknown. Known here are: host, port."])
        #expect(problems(least.replacing("file:", with: "fil:")).contains { $0.contains("Did you mean file?") })
    }

    @Test("a database has limits of its own where it says so, and the others of the section for all")
    func limitsOfDatabase() throws {
        let text = """
            tls: {certificate: a.pem, key: b.pem}
            databases:
              - {name: a, folder: x, limits: {operationsPerSecondOfUser: 7, storageMegabytes: 8}}
              - {name: b, folder: y}
            tokens:
              keys: [{file: t.pem, algorithm: ES256}]
            limits: {operationsPerSecondOfUser: 100, sessions: 50}
            """
        let configuration = try Configuration.read(text)
        let (first, second) = (configuration.databases[0], configuration.databases[1])
        #expect(configuration.limits(of: first).rates.amounts[.operationsPerSecondOfUser] == 7)
        #expect(configuration.limits(of: first).storageMegabytes == 8)
        #expect(configuration.limits(of: first).sessions == 50)
        #expect(configuration.limits(of: second) == configuration.limits)
        #expect(configuration.limits(of: second).rates.amounts[.operationsPerSecondOfUser] == 100)
        let found = problems(
            text.replacing("storageMegabytes: 8", with: "requestsPerSecondOfAddress: 8, connections: 9")
                .replacing("sessions: 50", with: "requestsPerSecondOfUser: 0, burstSeconds: none"))
        #expect(found.count { $0.contains("The key is unknown") } == 2, "\(found)")
        #expect(found.contains { $0.contains("limits.requestsPerSecondOfUser: '0' is not a whole number from 1") })
        #expect(found.contains { $0.contains("limits.burstSeconds: 'none' is not a whole number from 1 to 3600") })
    }

    @Test("functions have a name and a whole path each, and the one that logs in is among them")
    func functions() throws {
        let accounts = "\naccounts:\n  loginFunction: whoIs\n  functions:\n"
        let right = try Configuration.read(least + accounts + "    - {name: whoIs, program: [/bin/who, -q]}\n")
        #expect(right.accounts?.functions == [.init(name: "whoIs", program: ["/bin/who", "-q"])])
        #expect(right.accounts?.rules.loginFunction == "whoIs")
        let found = problems(
            least + accounts + "    - {name: sum, program: [sum]}\n    - {name: sum, program: [/bin/sum]}\n")
        #expect(found.contains { $0.contains("accounts.functions[0].program: The program has no absolute path.") })
        #expect(found.contains { $0.contains("accounts.functions[1].name: Two functions have this name.") })
        #expect(found.contains { $0.contains("accounts.loginFunction: There is no function 'whoIs'.") })
    }

    @Test("every problem is told at once, in the order of the file")
    func allProblems() {
        let found = problems(
            """
            listen: {port: 70000}
            tls: {certificate: a.pem}
            databases:
              - {name: "a b", folder: x}
              - {name: c, folder: x}
              - {name: c, folder: z}
            tokens:
              keys: [{file: t.pem, algorithm: RS265}]
            log: {level: loud}
            """)
        #expect(found.count == 7, "\(found)")
        for (problem, part) in zip(
            found,
            [
                "line 1, listen.port: '70000' is not a whole number from 0 to 65535.",
                "line 2, tls.key: The key is missing.",
                "'a b' cannot stand in a URL", "share one folder", "Two databases are named 'c'", "Did you mean RS256?",
                "line 9, log.level: 'loud' is unknown.",
            ])
        {
            #expect(problem.contains(part), "\(problem)")
        }
    }

    @Test(
        "a file that is no configuration is refused, never a trap",
        arguments: [
            "", "# nothing", "- a\n- b", "just text", "a: [", "\t\tx", "a: &x [*x]",
            "tls: [1]\ndatabases: 5\ntokens: x",
            "? {a: b}\n: c", "!!binary x: y", "a: 1\na: 2", String(repeating: "[", count: 100_000),
            String(repeating: "- ", count: 100_000), String(repeating: "- ", count: 400) + "x",
            String(repeating: "a", count: 300_000), "tls: {certificate: {a: b}, key: [c]}\n", "\u{0}\u{1}", "a: *b",
        ])
    func notConfigurations(text: String) {
        #expect(!problems(text).isEmpty)
    }

    @Test("a configuration without a way to verify tokens is refused")
    func noKeys() {
        let text = least.replacing("keys: [{file: t.pem, algorithm: ES256}]", with: "issuers: [a]")
        #expect(problems(text).contains { $0.contains("no token could be verified") })
        #expect(problems(least.replacing("keys: [{file: t.pem, algorithm: ES256}]", with: "keySet: a.json")).isEmpty)
    }

    @Test("distances count letters put in, left out and exchanged")
    func distances() {
        #expect(NearestName.distance("kitten", "sitting") == 3)
        #expect(NearestName.distance("", "abc") == 3)
        #expect(NearestName.of("certifcate", among: ["certificate", "key"]) == "certificate")
        #expect(NearestName.of("zzz", among: ["certificate", "key"]) == nil)
    }

    @Test("accounts are off without their section; with it, token keys may be missing and every key is read")
    func accounts() throws {
        #expect(try Configuration.read(least).accounts == nil)
        #expect(try Configuration.read(least + "\naccounts: {enabled: false, anonymous: true}").accounts == nil)
        let alone = """
            tls: {certificate: a.pem, key: b.pem}
            databases: [{name: flights, folder: data}]
            accounts: {anonymous: true}
            """
        var rules = AccountRules()
        rules.anonymous = true
        #expect(try Configuration.read(alone).accounts == Configuration.Accounts(rules: rules))
        let all = try Configuration.read(
            least + """

                accounts:
                  enabled: true
                  anonymous: false
                  emailPassword: true
                  confirmation: message
                  passwordReset: program
                  passwordLengthMin: 12
                  userAPIKeys: true
                  accessTokenSeconds: 60
                  refreshTokenDays: 1
                  messageTokenMinutes: 5
                  failuresMax: 3
                  failureWindowMinutes: 1
                  program: [/bin/mail, --quiet]
                  providers:
                    - {name: apple, keySet: apple.json, issuers: https://appleid.apple.com, audiences: org.example}
                """)
        let accounts = try #require(all.accounts)
        #expect(accounts.rules.emailPassword && accounts.rules.userAPIKeys && !accounts.rules.anonymous)
        #expect(accounts.rules.confirmation == .message && accounts.rules.passwordReset == .program)
        #expect(accounts.rules.passwordLengthMin == 12 && accounts.rules.failuresMax == 3)
        #expect(accounts.rules.accessTokenMilliseconds == 60_000)
        #expect(accounts.rules.refreshTokenMilliseconds == 86_400_000)
        #expect(accounts.rules.messageTokenMilliseconds == 300_000)
        #expect(accounts.rules.failureWindowMilliseconds == 60_000)
        #expect(accounts.program == ["/bin/mail", "--quiet"])
        #expect(
            accounts.providers == [
                .init(
                    name: .apple, keySet: "apple.json", issuers: ["https://appleid.apple.com"],
                    audiences: ["org.example"])
            ])
        #expect(all.resolved(against: URL(filePath: "/srv")).accounts?.providers.first?.keySet == "/srv/apple.json")
    }

    @Test("everything wrong with accounts is told")
    func wrongAccounts() {
        let problems = problems(
            least + """

                accounts:
                  anonymus: true
                  emailPassword: maybe
                  confirmation: mail
                  passwordReset: program
                  failuresMax: 0
                  providers:
                    - {name: apple, keySet: a.json}
                """
        ).joined(separator: "\n")
        for part in [
            "Did you mean anonymous?", "'maybe' is neither true nor false", "'mail' is unknown",
            "A program shall decide, and none is named", "'0' is not a whole number", "No audience is named",
        ] {
            #expect(problems.contains(part), "\(part)")
        }
    }
}
