package import CausewayModel
import CausewayObjectStore
package import CausewayStore

extension StoreEmbedded {
    package func register(_ client: ClientID, user: String) throws(StoreFailure) -> ClientRecord {
        // Almost always known already: reading costs no commit.
        if let known = try peek(client) {
            try known.check(user, client)
            return ClientRecord(committed: known.committed, ingested: known.ingested)
        }
        return try write { transaction, _ throws(StoreFailure) in
            if let known = try ClientState(of: client, in: transaction) {
                try known.check(user, client)
                return (ClientRecord(committed: known.committed, ingested: known.ingested), false)
            }
            ClientState(user: user).save(for: client, in: transaction)
            return (ClientRecord(committed: 0, ingested: 0), true)
        }
    }

    private func peek(_ client: ClientID) throws(StoreFailure) -> ClientState? {
        let reading: Transaction
        do {
            reading = try store.read()
        } catch {
            throw StoreFailure(error)
        }
        defer { reading.end() }
        return try ClientState(of: client, in: reading)
    }
}

extension ClientState {
    func check(_ user: String, _ client: ClientID) throws(StoreFailure) {
        guard self.user == user else {
            throw StoreFailure(
                .permissionDenied,
                "The client \(client.rawValue) belongs to another user. A file that was synced for one user is not "
                    + "opened for another: open a file of its own for each user.")
        }
    }
}
