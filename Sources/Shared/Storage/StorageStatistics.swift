/// How the space of a storage's file is used, and what keeps it from being reused.
package struct StorageStatistics: Sendable, Hashable {
    package var sizeBytes: Int
    /// The size of the newest state, with the file's headers.
    package var usedBytes: Int
    package var pageBytes: Int
    package var treeEntries: Int
    package var leaves: Int
    /// Free for the next commit to use.
    package var freeBytes: Int
    /// Belongs to older states, and can be reused when their snapshots end and no power loss can bring them back.
    package var pinnedBytes: Int
    /// The oldest snapshot of any process; nil when there is none.
    package var oldestSnapshot: Pin?
    package var isEncrypted: Bool

    /// A snapshot that somebody holds.
    package struct Pin: Sendable, Hashable {
        /// How many commits came after it.
        package var commitsBehind: UInt64
        package var processID: Int32

        package init(commitsBehind: UInt64, processID: Int32) {
            self.commitsBehind = commitsBehind
            self.processID = processID
        }
    }

    package init(
        sizeBytes: Int, usedBytes: Int, pageBytes: Int, treeEntries: Int, leaves: Int, freeBytes: Int = 0,
        pinnedBytes: Int = 0, oldestSnapshot: Pin? = nil, isEncrypted: Bool = false
    ) {
        self.sizeBytes = sizeBytes
        self.usedBytes = usedBytes
        self.pageBytes = pageBytes
        self.treeEntries = treeEntries
        self.leaves = leaves
        self.freeBytes = freeBytes
        self.pinnedBytes = pinnedBytes
        self.oldestSnapshot = oldestSnapshot
        self.isEncrypted = isEncrypted
    }
}

/// The result of `verify`.
package struct StorageReport: Sendable, Hashable {
    /// One sentence each: which page, what is wrong with it, and what depends on it. Empty when the file is sound.
    package var problems: [String]
    package var pages: Int
    package var treeEntries: Int
    package var leaves: Int

    package init(problems: [String] = [], pages: Int = 0, treeEntries: Int = 0, leaves: Int = 0) {
        self.problems = problems
        self.pages = pages
        self.treeEntries = treeEntries
        self.leaves = leaves
    }

    package var isSound: Bool { problems.isEmpty }
}
