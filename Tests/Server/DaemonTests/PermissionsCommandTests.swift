import ArgumentParser
import CausewayFolders
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("sync-server permissions explain")
struct PermissionsCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        folder.write(
            """
            tls: {certificate: keys/server.pem, key: keys/server-key.pem}
            databases:
              - name: tasks
                folder: data
                permissions:
                  classes:
                    Task: {read: "owner == $user.id OR team IN $user.claims.teams", write: "owner == $user.id", create: true}
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: a, audiences: b}
            """, "sync-server.yaml")
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let store = try StoreEmbedded.open(folder: folder.file("data"), epochSeed: 7)
        defer { store.close() }
        try store.extendSchema(
            Schema([
                ClassSchema(
                    name: "Task",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "owner", type: .string),
                        Property(name: "team", type: .string),
                    ])
            ]))
        let client = ClientID(1)
        _ = try store.register(client, user: "ann")
        let create = Operation.create(
            ObjectReference("Task", .int(7)), life: 1,
            fields: [FieldValue("owner", .string("ann")), FieldValue("team", .string("red"))])
        _ = try store.commit(
            [
                UploadBatch(
                    client: client, user: "ann",
                    changesets: [
                        Changeset(
                            client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: .zero,
                            operations: [create])
                    ])
            ], receivedAt: 1)
    }

    /// The verdicts by their rights, and the whole answer.
    private func explain(_ more: String...) async throws -> (verdicts: [String: String], text: String) {
        let text = try await PermissionsCommand.Explain.parse(
            ["--configuration", folder.file("sync-server.yaml"), "--database", "tasks", "--class", "Task"] + more
        ).answer()
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let rights = try #require(answer["rights"] as? [[String: Any]])
        var verdicts: [String: String] = [:]
        for right in rights {
            verdicts[try #require(right["right"] as? String)] = try #require(right["verdict"] as? String)
        }
        return (verdicts, text)
    }

    @Test("a stored object is judged for a user with claims")
    func stored() async throws {
        let own = try await explain("--key", "7", "--user", "ann")
        #expect(
            own.verdicts == ["read": "permitted", "create": "permitted", "write": "permitted", "delete": "permitted"])
        let other = try await explain("--key", "7", "--user", "ben", "--claims", #"{"teams": ["red"]}"#)
        #expect(
            other.verdicts == ["read": "permitted", "create": "permitted", "write": "refused", "delete": "refused"])
        #expect(other.text.contains(#""key":"classes.Task.write","leftOut":["classes.Task.delete"]"#), "\(other.text)")
        let stranger = try await explain("--key", "7", "--user", "ben")
        #expect(stranger.verdicts["read"] == "unknown")
        #expect(stranger.text.contains(#""missingClaims":["$user.claims.teams"]"#), "\(stranger.text)")
    }

    @Test("an object may be described, and a token that is not accepted is explained all the same")
    func described() async throws {
        let found = try await explain("--values", #"{"owner": "ben"}"#, "--user", "ben")
        #expect(found.verdicts["write"] == "permitted")
        let claims = Data(#"{"sub":"ben","teams":["red"],"exp":1}"#.utf8).base64EncodedString()
            .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        let header = Data(#"{"alg":"ES256"}"#.utf8).base64EncodedString().replacing("=", with: "")
        folder.write("\(header).\(claims).AAAA\n", "token")
        let ofToken = try await explain("--key", "7", "--token-file", folder.file("token"))
        #expect(ofToken.verdicts["read"] == "permitted" && ofToken.text.contains(#""isVerified":false,"problem":""#))
    }

    @Test(
        "a question that has no answer ends with a sentence",
        arguments: [
            (["--key", "8", "--user", "ann"], "no object"), (["--key", "x", "--user", "ann"], "The key is none"),
            (["--key", "7"], "about whom"), (["--key", "7", "--user", "a", "--account", "b"], "about whom"),
            (["--key", "7", "--values", "{}", "--user", "a"], "either the key"),
            (["--values", #"{"nothing": 1}"#, "--user", "a"], "has no property"),
            (["--values", #"{"owner": 1}"#, "--user", "a"], "Expected is a string"),
            (["--values", "{", "--user", "a"], "is not JSON"), (["--claims", "[1]"], "claims cannot be taken"),
            (["--key", "7", "--account", "b"], "no accounts"), (["--class", "Tusk", "--user", "a"], "Did you mean"),
        ])
    func refused(_ arguments: [String], _ words: String) async throws {
        let error = await #expect(throws: CommandFailure.self) {
            _ = try await PermissionsCommand.Explain.parse(
                ["--configuration", folder.file("sync-server.yaml"), "--database", "tasks"]
                    + (arguments.contains("--class") ? [] : ["--class", "Task"]) + arguments
            ).answer()
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
