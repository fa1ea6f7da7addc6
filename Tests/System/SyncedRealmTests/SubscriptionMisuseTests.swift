import Causeway
import Foundation
import Testing

/// Mistakes with subscriptions, which RealmSwift answers with exceptions: each stops the process with its sentence.
@Suite("Misuse of subscriptions stops the program and says why")
struct SubscriptionMisuseTests {
    /// The subscriptions of a synced Realm whose server does not exist.
    @MainActor
    static func use(_ body: (Realm, SyncSubscriptionSet) throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-misuse-\(UInt64.random(in: 0 ... .max))", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = App(
            id: "misuse", configuration: AppConfiguration(baseURL: "https://localhost:1", rootDirectory: folder))
        let user = try await app.login(credentials: .jwt(Bench.token(user: "ann")))
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Chore.self, Person.self]
        let realm = try Realm(configuration: configuration)
        try body(realm, realm.subscriptions)
    }

    private func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("subscriptions are changed outside of an update")
    func outside() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.use { _, subscriptions in subscriptions.append(QuerySubscription<Chore>()) }
        }
        let sentence = "Can only add, remove, or update subscriptions within a write subscription block."
        #expect(words(result).contains(sentence))
    }

    @Test("a name is used again for another query")
    func secondName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.use { _, subscriptions in
                subscriptions.update {
                    subscriptions.append(QuerySubscription<Chore>(name: "x"))
                    subscriptions.append(QuerySubscription<Chore>(name: "x") { $0.priority > 3 })
                }
            }
        }
        let sentence =
            "A subscription named 'x' already exists. If you meant to update the existing subscription please use the "
            + "`update` method."
        #expect(words(result).contains(sentence))
    }

    @Test("a query of another class takes a subscription's place")
    func otherClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.use { _, subscriptions in
                subscriptions.update { subscriptions.append(QuerySubscription<Chore>(name: "x")) }
                subscriptions.update { subscriptions.first?.updateQuery(toType: Person.self) { $0.age > 3 } }
            }
        }
        #expect(words(result).contains("Updating a subscription query of a different Object Type is not allowed."))
    }

    @Test("an update begins inside another")
    func nested() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.use { _, subscriptions in subscriptions.update { subscriptions.update {} } }
        }
        let sentence = "Cannot initiate a write transaction on subscription set that is already being updated."
        #expect(words(result).contains(sentence))
    }
}
