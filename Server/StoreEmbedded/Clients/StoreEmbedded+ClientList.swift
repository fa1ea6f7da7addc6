package import CausewayModel
import CausewayObjectStore
package import CausewayStore

// What administrators see of the clients, and how they have one forgotten.

/// What the record knows of a client.
package struct ClientFacts: Hashable, Sendable {
    package var client: ClientID
    package var user: String
    /// Its last changeset and one-way entry.
    package var committed: UInt64
    package var ingested: UInt64
    /// The day on which it was last heard of, counted from 1970; zero where nobody noted it.
    package var heardDay: UInt64
    /// Of refusals that it has not stored yet.
    package var refusalBytes: UInt64
    package var predecessors: [ClientID]
}

extension StoreEmbedded {
    /// Clients in the order of their ids, after one. Waits for no commit.
    ///
    /// - Parameters:
    ///   - user: only this user's; nil is everybody's.
    ///   - lookedAtMax: how many are looked at. `next` is where to go on, nil behind the last.
    package func clients(
        after last: ClientID?, of user: String?, countMax: Int, lookedAtMax: Int = 10_000
    ) throws(StoreFailure) -> (clients: [ClientFacts], next: ClientID?) {
        let reading: Transaction
        do {
            reading = try store.read()
        } catch {
            throw StoreFailure(error)
        }
        defer { reading.end() }
        if last?.rawValue == .max { return ([], nil) }
        let start = last.map { $0.rawValue + 1 } ?? 0
        var (ids, isLeft): ([ClientID], Bool) = ([], false)
        reading.tree(Layout.clients).scan(from: Layout.bytes(start)) { key, _ in
            guard let number: UInt64 = Layout.number(key) else { return true }
            isLeft = ids.count == lookedAtMax
            if !isLeft { ids.append(ClientID(number)) }
            return !isLeft
        }
        var found: [ClientFacts] = []
        for id in ids {
            guard let state = try ClientState(of: id, in: reading), user.map(state.user.isSame) ?? true else {
                continue
            }
            if found.count == countMax { return (found, found.last?.client) }
            found.append(ClientFacts(id, state))
        }
        return (found, isLeft ? ids.last : nil)
    }

    /// Forgets of a client what may be forgotten, as `ClientKeeping` does with those that do not come back.
    ///
    /// - Returns: nil for a client that the record does not know.
    package func forget(_ client: ClientID) throws(StoreFailure) -> ForgottenClient? {
        try forget(client, .call)
    }

    func forget(_ client: ClientID, _ writing: Writing) throws(StoreFailure) -> ForgottenClient? {
        try write(as: writing) { transaction, _ throws(StoreFailure) in
            guard let state = try ClientState(of: client, in: transaction) else { return (nil, false) }
            guard state.mustStay else {
                _ = transaction.tree(Layout.clients).remove(Layout.bytes(client.rawValue))
                return (.all, true)
            }
            RefusalTree(in: transaction).thin(client, through: state.told, toBytes: 0)
            return (.partly, true)
        }
    }
}

extension ClientFacts {
    fileprivate init(_ client: ClientID, _ state: ClientState) {
        self.init(
            client: client, user: state.user, committed: state.committed, ingested: state.ingested,
            heardDay: state.heardDay, refusalBytes: state.refusalBytes, predecessors: state.predecessors)
    }
}
