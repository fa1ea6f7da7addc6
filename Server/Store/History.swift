package import CausewayModel
package import CausewayOperations

/// What the commits of a range touched, each object once, seen from one client.
package struct History: Sendable {
    /// Ordered by name.
    package var touched: [TouchedRow]
    /// Rows that plain creates made in the range and nothing touched again. They are not in `touched`.
    package var births: [Births]
    /// Who made the versions.
    package var authors: Set<ClientID>

    package init(touched: [TouchedRow] = [], births: [Births] = [], authors: Set<ClientID> = []) {
        self.touched = touched
        self.births = births
        self.authors = authors
    }
}

package struct TouchedRow: Sendable {
    package var name: ObjectName
    /// Whether the object existed when the range began.
    package var existed: Bool
    /// The states in which commits found its own properties before they changed them, oldest first. Each image holds
    /// the properties that its commit touched; a property that no image holds is as it is now. Empty when only objects
    /// embedded in it were touched.
    package var images: [ImageReference]
    /// The properties that operations named, whether they had an effect or not.
    package var columns: PropertyNumbers
    /// Somebody else touched it.
    package var byOthers: Bool
    /// The client itself touched it.
    package var byClient: Bool
    /// Every operation of the client on it took effect as the client saw it.
    package var effective: Bool
    /// The client deleted it, or created it again, in another life than the one it lives now: what its device has of it
    /// is no part of the current life.
    package var livesDiffer: Bool
    /// For an embedded object: the object that it is part of.
    package var root: ObjectName?
    /// What commits did to its lists, sets, maps and texts, oldest first, where the record keeps it.
    package var edits: [EditsReference]
    /// The properties that a commit touched in a way of which the record does not keep what happened, or not all that
    /// the client's device needs. They can only be told whole.
    package var unkept: PropertyNumbers

    package init(
        name: ObjectName, existed: Bool, images: [ImageReference] = [], columns: PropertyNumbers = PropertyNumbers(),
        byOthers: Bool, byClient: Bool, effective: Bool, livesDiffer: Bool = false, root: ObjectName? = nil,
        edits: [EditsReference] = [], unkept: PropertyNumbers = PropertyNumbers()
    ) {
        self.edits = edits
        self.unkept = unkept
        self.name = name
        self.existed = existed
        self.images = images
        self.columns = columns
        self.byOthers = byOthers
        self.byClient = byClient
        self.effective = effective
        self.livesDiffer = livesDiffer
        self.root = root
    }
}

/// Where the record keeps the state in which a commit found an object.
package struct ImageReference: Hashable, Sendable {
    package var version: ServerVersion
    package var number: UInt32

    package init(version: ServerVersion, number: UInt32) {
        self.version = version
        self.number = number
    }
}

/// Where the record keeps what a commit did to lists, sets, maps and texts of an object.
package struct EditsReference: Hashable, Sendable {
    package var version: ServerVersion
    package var number: UInt32
    package var columns: PropertyNumbers
    package var byClient: Bool

    package init(version: ServerVersion, number: UInt32, columns: PropertyNumbers, byClient: Bool) {
        self.version = version
        self.number = number
        self.columns = columns
        self.byClient = byClient
    }
}

/// What a commit did to a list, set, map or text.
package struct KeptEdits: Hashable, Sendable {
    package var edits: PartEdits
    /// About how many bytes the edits take, and the whole state after them.
    package var sizeBytes: Int
    package var wholeBytes: Int

    package init(edits: PartEdits, sizeBytes: Int, wholeBytes: Int) {
        self.edits = edits
        self.sizeBytes = sizeBytes
        self.wholeBytes = wholeBytes
    }
}

/// A run of rows that one commit created.
package struct Births: Hashable, Sendable {
    package var classNumber: Int
    package var keys: ClosedRange<ObjectKey>
    package var byClient: Bool
    /// Rows of the run that were touched again in the range; ascending.
    package var without: [ObjectKey]

    package init(classNumber: Int, keys: ClosedRange<ObjectKey>, byClient: Bool, without: [ObjectKey] = []) {
        self.classNumber = classNumber
        self.keys = keys
        self.byClient = byClient
        self.without = without
    }
}
