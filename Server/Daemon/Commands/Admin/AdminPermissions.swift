import ArgumentParser
import CausewayJSON
import Foundation

struct AdminPermissions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions", abstract: "Says what the rules in force permit.", subcommands: [Explain.self])

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what a caller may do with an object, and which rule says so. Prints one JSON object.",
            discussion: """
                As `sync-server permissions explain`, by the rules that the running server has.
                  sync-server admin permissions explain --database tasks --class Task --key 7 --user ann
                """)

        @OptionGroup var place: AdminDatabaseOption

        @Option(name: .customLong("class"), help: "The class of the object.")
        var className: String

        @Option(help: "The primary key of a stored object, in JSON: 7, or '\"a text\"'.")
        var key: String?

        @Option(
            help: "The values of an object that is not stored, in JSON. Without key and values, a new object is meant.")
        var values: String?

        @Option(help: "The user that the claims are of.")
        var user: String?

        @Option(help: "The claims, a JSON object.")
        var claims: String?

        @Option(help: "A file with the caller's token. As an argument, other users of the machine could read it.")
        var callerTokenFile: String?

        @Option(help: "The id of a user of the database's accounts.")
        var account: String?

        func run() async throws {
            var members = [JSON.Member("class", .string(className))]
            if let key { members.append(JSON.Member("key", Self.json(key) ?? .string(key))) }
            if let values { members.append(JSON.Member("values", try Self.object(values, "values"))) }
            if key == nil, values == nil { members.append(JSON.Member("values", .object([]))) }
            if let user { members.append(JSON.Member("user", .string(user))) }
            if let claims { members.append(JSON.Member("claims", try Self.object(claims, "claims"))) }
            if let account { members.append(JSON.Member("account", .string(account))) }
            if let callerTokenFile {
                let token = try String(contentsOfFile: callerTokenFile, encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                members.append(JSON.Member("token", .string(token)))
            }
            var writer = JSONWriter()
            writer.write(.object(members))
            let answer = try await place.options.client().call(
                .post, place.path + ["permissions", "explain"], body: writer.bytes)
            var shown = JSONWriter()
            shown.write(answer)
            print(String(decoding: shown.bytes, as: UTF8.self))
        }

        private static func json(_ text: String) -> JSON? { try? JSONReader.read(Array(text.utf8)) }

        private static func object(_ text: String, _ name: String) throws -> JSON {
            guard let json = json(text), json.members != nil else {
                throw CommandFailure("--\(name) is no JSON object.")
            }
            return json
        }
    }
}
