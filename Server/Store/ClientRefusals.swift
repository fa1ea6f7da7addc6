package import CausewayModel

/// What is kept of the refusals of one client.
package struct ClientRefusals: Hashable, Sendable {
    package var client: ClientID
    package var user: String
    /// The last changeset that the client has sent.
    package var committed: UInt64
    /// The changeset up to which a copy of its file has stored its refusals.
    package var told: UInt64
    /// In milliseconds since 1970, to the day; zero where nobody noted it.
    package var heard: UInt64
    /// Changesets with refused operations, and the operations.
    package var changesets: Int
    package var operations: Int

    package init(
        client: ClientID, user: String, committed: UInt64, told: UInt64, heard: UInt64, changesets: Int,
        operations: Int
    ) {
        self.client = client
        self.user = user
        self.committed = committed
        self.told = told
        self.heard = heard
        self.changesets = changesets
        self.operations = operations
    }
}

/// The refused operations of one changeset, without what they held.
package struct RefusedChangeset: Hashable, Sendable {
    /// The client's changeset.
    package var sequence: UInt64
    /// The version that was made of the rest of the changeset, and when it was received in milliseconds since 1970. Zero
    /// for what an earlier build noted.
    package var version: ServerVersion
    package var received: UInt64
    /// Whether a copy of the client's file has stored these refusals.
    package var isTold: Bool
    package var groups: [Group]
    /// Refused operations beyond `groupsMax` groups.
    package var others = 0

    /// A hostile changeset may name a class of its own in each operation.
    package static let groupsMax = 200

    /// Operations on objects of one class that were refused with one code.
    package struct Group: Hashable, Sendable {
        package var className: String
        package var code: StoreFailure.Code
        package var count: Int

        package init(className: String, code: StoreFailure.Code, count: Int) {
            self.className = className
            self.code = code
            self.count = count
        }
    }

    package init(sequence: UInt64, version: ServerVersion, received: UInt64, isTold: Bool, groups: [Group]) {
        self.sequence = sequence
        self.version = version
        self.received = received
        self.isTold = isTold
        self.groups = groups
    }
}
