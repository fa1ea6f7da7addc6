import ArgumentParser
import CausewayAdmin
import CausewayIdentity
import CausewayJSON
import CausewayStore
import CausewayStoreEmbedded
import Foundation

struct PermissionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Says what the rules of a database permit.",
        subcommands: [Explain.self])

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Says what a caller may do with an object, and which rule says so, whether the server runs or not.",
            discussion: """
                The rules are those of the configuration file; a running server takes them at SIGHUP. Prints one JSON object.
                  sync-server permissions explain --database tasks --class Task --key 7 --user ann --claims '{"level": 3}'
                  sync-server permissions explain --database tasks --class Task --values '{"owner": "ann"}' --account ID
                """)

        @OptionGroup var place: DatabaseOption

        @OptionGroup var inquiry: InquiryOptions

        @Option(help: "A file with a token. As an argument, other users of the machine could read it.")
        var tokenFile: String?

        func run() async throws {
            print(try await answer())
        }

        func answer() async throws -> String {
            let configuration = try place.option.read()
            let folder = try place.servedFolder().folder
            let token = try tokenFile.map { try AdminOptions.token(in: $0) }
            do {
                let found = try await CallerDirectory(configuration, place.database).find(
                    CallerInquiry(
                        user: inquiry.user, claims: Self.json(inquiry.claims, "claims"), token: token,
                        account: inquiry.account))
                let rules = configuration.databases.first { $0.name == place.database }?.permissions
                let question = PermissionInquiry(className: inquiry.className, subject: try subject())
                let (result, version) = try StoreEmbedded.reading(folder: folder) { snapshot throws(StoreFailure) in
                    (try question.explanation(by: rules, for: found.caller, in: snapshot), snapshot.version)
                }
                let explanation = try result.get()
                var writer = JSONWriter()
                explanation.append(to: &writer, found, version)
                return String(decoding: writer.bytes, as: UTF8.self)
            } catch let error as AdminError {
                throw CommandFailure(error.message)
            } catch let error as StoreFailure {
                throw CommandFailure(error.message)
            }
        }

        private func subject() throws(AdminError) -> PermissionInquiry.Subject {
            guard inquiry.key == nil || inquiry.values == nil else {
                throw AdminError(.requestInvalid, "Name either the key of a stored object, or values.")
            }
            if let key = inquiry.key { return .stored(.string(key)) }
            return .described(try Self.json(inquiry.values, "values") ?? .object([]))
        }

        private static func json(_ text: String?, _ name: String) throws(AdminError) -> JSON? {
            guard let text else { return nil }
            do throws(JSONReader.Failure) {
                return try JSONReader.read(Array(text.utf8))
            } catch {
                throw AdminError(.requestInvalid, "--\(name) is not JSON: at byte \(error.offset), \(error.reason).")
            }
        }
    }
}

extension CallerDirectory {
    /// For a database that this process does not serve. Tokens of its accounts are read, and not verified.
    fileprivate init(_ configuration: Configuration, _ database: String) async {
        let inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
        let verifiers = (try? inspection.verifiers(configuration)).map(TokenVerifiers.init)
        self.init(verifier: verifiers?[database]) { user throws(AdminError) in
            do {
                let office = try configuration.accountOffice(of: database)
                defer { office.close() }
                return try office.caller(ofAccount: user, database: database)
            } catch {
                throw AdminError(.requestInvalid, "\(error)")
            }
        }
    }
}
