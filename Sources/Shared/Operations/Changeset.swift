package import CausewayModel

/// What one transaction of one device did: applied whole or not at all, and exactly once.
package struct Changeset: Sendable {
    package var client: ClientID
    /// Ascending without gaps per client, from one.
    package var sequence: UInt64
    package var stamp: Stamp
    /// The server version the writer's base stood at: everything up to it was seen by the writer.
    package var base: ServerVersion
    /// Objects that the writer had not seen up to `base`: one entry for each run of the server, in the order of
    /// `LastSeen.run`.
    package var lastSeen: [LastSeen]
    /// The creates before all other operations, as far as they stand in columns.
    package private(set) var creations: [CreationRun]
    /// The operations behind `creations`.
    package private(set) var others: [Operation]
    /// The opening of the device's file that made it (`Openings`); zero when nobody knows. It travels beside the changeset
    /// and is no part of what it says.
    package var opening: UInt64 = 0
    /// The run of the server that committed the version `base`: what tells a version that a restored server has lost from
    /// another of its number. Zero when nobody knows. It travels beside the changeset, too.
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

    /// All operations one by one. Those that stand in columns are made anew at each call.
    package var operations: [Operation] {
        get { creations.isEmpty ? others : operations(behindRuns: 0) }
        set {
            creations = []
            others = newValue
        }
    }

    /// How many operations there are, those that stand in columns too.
    package var operationCount: Int { creations.reduce(others.count) { $0 + $1.count } }

    /// What it takes to apply them: an operation may name many elements.
    package var workCount: Int {
        others.reduce(operationCount) { count, operation in
            if case .list(_, _, .clear(let ids)) = operation { count + ids.count } else { count }
        }
    }

    /// Those behind some of the `creations`.
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
    /// Whether operations stand in columns is no difference.
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
