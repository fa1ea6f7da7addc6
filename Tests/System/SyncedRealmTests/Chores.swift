import Causeway
import Testing

/// Waits until the realms have sent what they have, and have what there is for them.
@MainActor
func settle(_ realms: Realm...) async throws {
    for realm in realms { try await realm.syncSession?.wait(for: .upload) }
    for realm in realms {
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
    }
}

/// The priorities of the chores, in the order of their ids.
@MainActor
func priorities(_ realm: Realm) -> [Int] {
    realm.refresh()
    return realm.objects(Chore.self).sorted(byKeyPath: "id").map(\.priority)
}

extension Bench {
    /// Two devices with chores 1 and 2, whose priorities are 10 and 20.
    @MainActor
    func twoDevices() async throws -> (Realm, Realm) {
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await configuration("a", initial: all))
        let b = try Realm(configuration: try await configuration("b", initial: all))
        try a.write {
            for id in 1...2 { a.create(Chore.self, value: ["id": id, "title": "t\(id)", "priority": id * 10]) }
        }
        try await settle(a)
        try await settle(b)
        #expect(priorities(b) == [10, 20])
        return (a, b)
    }
}
