package import CausewayModel

/// What one transaction of one device did: applied whole or not at all, and exactly once.
package struct Changeset: Sendable {
    package var client: ClientID
    /// Ascending without gaps per client, from one.
    package var sequence: UInt64
    package var stamp: Stamp
    /// The server version of the writer's base: the writer had seen everything up to it.
    package var base: ServerVersion
    /// Objects that the writer had not seen up to `base`: one entry for each run of the server, in the order of
    /// `LastSeen.run`.
    package var lastSeen: [LastSeen]
    /// The creates in columns. They come before all other operations.
    package private(set) var creations: [CreationRun]
    /// The operations after `creations`.
    package private(set) var others: [Operation]
    /// The opening of the device's file that made it (`Openings`); zero if unknown. It is sent beside the changeset and
    /// is no part of its content.
    package var opening: UInt64 = 0
    /// The run of the server that committed the version `base`; zero if unknown. It tells a version that a restored
    /// server has lost from another of the same number. It is sent beside the changeset, too.
    package var run: UInt64 = 0

    package init(
        client: ClientID,
        sequence: UInt64,
        stamp: Stamp,
        base: ServerVersion,
        lastSeen: [LastSeen] = [],
        creations: [CreationRun] = [],
        operations others: [Operation]
    ) {
        self.client = client
        self.sequence = sequence
        self.stamp = stamp
        self.base = base
        self.lastSeen = lastSeen
        self.creations = creations
        self.others = others
    }

    /// All operations one by one. Those in columns are built anew at each call.
    package var operations: [Operation] {
        get { creations.isEmpty ? others : operations(behindRuns: 0) }
        set {
            creations = []
            others = newValue
        }
    }

    /// The number of operations, those in columns included.
    package var operationCount: Int { creations.reduce(others.count) { $0 + $1.count } }

    /// The work of applying them: one for each operation, and one for each element that a clear names.
    package var workCount: Int {
        others.reduce(operationCount) { count, operation in
            if case .list(_, _, .clear(let ids)) = operation { count + ids.count } else { count }
        }
    }

    /// The operations after the first `count` runs of `creations`.
    package func operations(behindRuns count: Int) -> [Operation] {
        if count == creations.count { return others }
        var operations: [Operation] = []
        operations.reserveCapacity(operationCount)
        for run in creations.dropFirst(count) { operations += run.operations }
        operations += others
        return operations
    }
}

extension Changeset: Hashable {
    /// Operations in columns are equal to the same operations one by one.
    package static func == (left: Changeset, right: Changeset) -> Bool {
        guard
            left.client == right.client, left.sequence == right.sequence, left.stamp == right.stamp,
            left.base == right.base, left.lastSeen == right.lastSeen
        else { return false }
        if left.creations == right.creations { return left.others == right.others }
        return left.operations == right.operations
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(sequence)
        hasher.combine(stamp)
    }
}
