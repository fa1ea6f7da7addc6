import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Rule 9: clients, and the refusals that are kept for them.

extension RecordCheck {
    func checkClients() {
        let clients = transaction.tree(Layout.clients)
        clients.scan { key, _ in
            guard key.count == 8, let id: UInt64 = Layout.number(key) else {
                report.note("A key of the tree '\(Layout.clients)' has \(key.count) bytes instead of 8.")
                return true
            }
            guard let client = self.client(id) else {
                report.note("What is kept of client \(id) cannot be read.")
                return true
            }
            if client.told > client.committed {
                report.note(
                    "Client \(id) has stored refusals up to changeset \(client.told), and sent up to \(client.committed)."
                )
            }
            checkVersion(client.inherited, "Client \(id)")
            return true
        }
    }

    private func client(_ id: UInt64) -> ClientState? {
        do throws(StoreFailure) {
            return try ClientState(of: ClientID(id), in: transaction)
        } catch {
            return nil
        }
    }

    func checkRefusals() {
        var known: (id: UInt64, committed: UInt64)?
        transaction.tree(Layout.refusals).scan { key, value in
            guard key.count >= 16, let id: UInt64 = Layout.number(key), let sequence: UInt64 = Layout.number(key, at: 8)
            else {
                report.note("A key of the tree '\(Layout.refusals)' is too short.")
                return true
            }
            if known?.id != id { known = client(id).map { (id, $0.committed) } }
            guard let committed = known?.committed, known?.id == id else {
                report.note("A refusal is kept for client \(id), which is not known.")
                return true
            }
            if sequence > committed {
                report.note("A refusal is of changeset \(sequence) of client \(id), which has sent up to \(committed).")
            }
            // An earlier build wrote a record for each operation, with its number in the key.
            if key.count == 16, (try? RefusalRecord.count(in: Array(value))) == nil {
                report.note("The refusals of changeset \(sequence) of client \(id) cannot be read.")
            }
            return true
        }
    }
}

// Rule 16.

extension RecordCheck {
    func checkShutOuts() {
        transaction.tree(Layout.shutOut).scan { key, value in
            let shutOut = try? ShutOut(encoded: Array(value))
            if shutOut?.subject.encoded.elementsEqual(key) != true {
                report.note("A user or client that is shut out cannot be read.")
            }
            return true
        }
    }
}
