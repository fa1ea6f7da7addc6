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

        @OptionGroup var inquiry: InquiryOptions

        @Option(help: "A file with the caller's token. As an argument, other users of the machine could read it.")
        var callerTokenFile: String?

        func run() async throws {
            var members = [JSON.Member("class", .string(inquiry.className))]
            // A number is a number; what is no JSON is a text.
            if let key = inquiry.key { members.append(JSON.Member("key", Self.json(key) ?? .string(key))) }
            if let values = inquiry.values { members.append(JSON.Member("values", try Self.object(values, "values"))) }
            if let user = inquiry.user { members.append(JSON.Member("user", .string(user))) }
            if let claims = inquiry.claims { members.append(JSON.Member("claims", try Self.object(claims, "claims"))) }
            if let account = inquiry.account { members.append(JSON.Member("account", .string(account))) }
            if let callerTokenFile {
                members.append(JSON.Member("token", .string(try AdminOptions.token(in: callerTokenFile))))
            }
            var writer = JSONWriter()
            writer.write(.object(members))
            let answer = try await place.options.client().call(
                .post, place.path + ["permissions", "explain"], body: writer.bytes)
            place.options.show(answer) { $0.line }
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
