package import CausewayModel
import CausewayOperations
package import CausewayStore

// What an operator sees of refusals. They are kept for the devices, so what is here is what the devices were not told yet,
// and the newest of what they were told.

extension StoreEmbedded {
    /// How many clients one call looks at, for a page that it may not fill.
    package static let clientsLookedAtMax = 2_000

    /// The clients that have refusals, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - last: the client behind which the page begins.
    ///   - user: whose clients are meant; nil for everybody's.
    /// - Returns: the clients, and the one behind which the next page begins; nil when there is none.
    package func clientsRefused(
        after last: ClientID?, user: String?, countMax: Int
    ) throws(StoreFailure) -> (clients: [ClientRefusals], next: ClientID?) {
        try read { transaction throws(StoreFailure) in
            let tree = RefusalTree(in: transaction)
            var (found, position): ([ClientRefusals], ClientID?) = ([], last)
            for _ in 0..<Self.clientsLookedAtMax {
                guard let client = tree.client(after: position) else { return (found, nil) }
                guard found.count < countMax else { return (found, position) }
                position = client
                guard let state = try ClientState(of: client, in: transaction), user?.isSame(as: state.user) ?? true
                else { continue }
                let counts = tree.counts(of: client)
                found.append(
                    ClientRefusals(
                        client: client, user: state.user, committed: state.committed, told: state.told,
                        heard: state.heardDay * ClientKeeping.dayMilliseconds, changesets: counts.changesets,
                        operations: counts.operations))
            }
            return (found, position)
        }
    }

    /// The refused operations of a client, by changeset, the newest last.
    ///
    /// - Parameter sequence: the changeset behind which the page begins.
    /// - Returns: nil for a client that nobody has registered.
    package func refusedChangesets(
        of client: ClientID, after sequence: UInt64, countMax: Int
    ) throws(StoreFailure) -> (user: String, changesets: [RefusedChangeset], hasMore: Bool)? {
        try read { transaction throws(StoreFailure) in
            guard let state = try ClientState(of: client, in: transaction) else { return nil }
            var changesets = try RefusalTree(in: transaction).changesets(
                of: client, after: sequence, told: state.told, countMax: countMax + 1)
            let hasMore = changesets.count > countMax
            if hasMore { changesets.removeLast(changesets.count - countMax) }
            return (state.user, changesets, hasMore)
        }
    }
}

extension RefusalTree {
    /// The next client that has refusals.
    fileprivate func client(after last: ClientID?) -> ClientID? {
        guard last?.rawValue != .max else { return nil }
        var found: ClientID?
        scan(from: Layout.bytes(last.map { $0.rawValue + 1 } ?? 0), upTo: nil) { key, _ in
            found = Layout.number(key).map { ClientID($0) }
            return false
        }
        return found
    }

    /// How many changesets have refusals, and how many there are. What cannot be read counts once: `verify` reports it.
    fileprivate func counts(of client: ClientID) -> (changesets: Int, operations: Int) {
        var (operations, sequences): (Int, Set<UInt64>) = (0, [])
        scan(of: client, after: 0) { key, value in
            if let sequence: UInt64 = Layout.number(key, at: 8) { sequences.insert(sequence) }
            let isOfOne = key.count > Self.keyBytes
            operations += isOfOne ? 1 : (try? RefusalRecord.count(in: Array(value))) ?? 1
            return true
        }
        return (sequences.count, operations)
    }

    fileprivate func changesets(
        of client: ClientID, after sequence: UInt64, told: UInt64, countMax: Int
    ) throws(StoreFailure) -> [RefusedChangeset] {
        var found: [RefusedChangeset] = []
        var damage: StoreFailure?
        scan(of: client, after: sequence) { key, value in
            do throws(StoreFailure) {
                let refusals = try Self.refusals(key, value)
                guard let sequence = refusals.first?.sequence else { return true }
                if found.last?.sequence != sequence {
                    guard found.count < countMax else { return false }
                    let origin = key.count > Self.keyBytes ? nil : RefusalRecord.origin(in: Array(value))
                    found.append(
                        RefusedChangeset(
                            sequence: sequence, version: origin?.version ?? .zero, received: origin?.received ?? 0,
                            isTold: sequence <= told, groups: []))
                }
                for refusal in refusals { found[found.count - 1].add(refusal) }
                return true
            } catch {
                damage = error
                return false
            }
        }
        if let damage { throw damage }
        return found
    }
}

extension RefusedChangeset {
    /// Different groups are few: a changeset is of few classes, and codes are few.
    fileprivate mutating func add(_ refusal: Refusal) {
        let (className, code) = (refusal.target.className, refusal.failure.code)
        let place = groups.firstIndex { $0.code == code && $0.className.isSame(as: className) }
        if let place {
            groups[place].count += 1
        } else if groups.count < Self.groupsMax {
            groups.append(Group(className: className, code: code, count: 1))
        } else {
            others += 1
        }
    }
}
