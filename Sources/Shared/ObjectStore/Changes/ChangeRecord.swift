package import CausewayMerge
package import CausewayModel

/// What a commit touched, or several commits together: the source of notifications and of the operation log.
package struct ChangeRecord: Hashable, Sendable {
    package var classes: [String: ClassChanges]

    package init(classes: [String: ClassChanges] = [:]) {
        self.classes = classes
    }

    package var isEmpty: Bool { classes.values.allSatisfy(\.isEmpty) }
}

/// The changes of one class. Each object appears with its net change over the whole range: one that was made and
/// changed is inserted, one that was made and deleted does not appear. An object that was deleted and came back under
/// its old key (its ghost came to life) is deleted and inserted.
package struct ClassChanges: Hashable, Sendable {
    package struct Deletion: Hashable, Sendable {
        package var key: ObjectKey
        /// Nil for objects of classes without a primary key.
        package var primaryKey: PrimaryKey?

        package init(key: ObjectKey, primaryKey: PrimaryKey?) {
            self.key = key
            self.primaryKey = primaryKey
        }
    }

    /// Ascending.
    package var inserted: [ObjectKey] = []
    /// Ascending by key.
    package var deleted: [Deletion] = []
    /// Never names an inserted object.
    package var modified: [ObjectKey: ColumnSet] = [:]
    /// Edits in the order made. Only in the record of the write in progress, and not of objects inserted in it.
    package var listEdits: [ChangedList: [ListEdit]] = [:]
    /// The same for texts. None of a text that was also set as a string.
    package var textEdits: [ChangedList: TextEdits] = [:]

    /// What was added to counters, also to those of inserted objects. Only in the record of the write in progress.
    package var additions: [ChangedList: CounterAddition] = [:]

    package init() {}

    package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}

/// The sum of what a write added to one counter.
package struct CounterAddition: Hashable, Sendable {
    /// What the counter held before the first addition.
    package var first: Int64
    package var amount: Int64 = 0
}

/// The edits of a text in the order made, as runs of typing and deleting.
package struct TextEdits: Hashable, Sendable {
    package private(set) var edits: [TextEdit] = []
    /// What leads back, from the last to the first.
    package private(set) var reversals: [TextEdit] = []

    package init() {}

    /// - Parameter removed: what the edit removes; empty for an insertion.
    mutating func append(_ edit: TextEdit, removing removed: String) {
        edits.appendRun(edit)
        switch edit {
        case .insert(let text, let place): reversals.appendReversal(.remove(place..<place + text.scalarCount))
        case .remove(let range): reversals.appendReversal(.insert(removed, at: range.lowerBound))
        }
    }
}

/// The list, or the text, of one object.
package struct ChangedList: Hashable, Sendable {
    package var key: ObjectKey
    package var column: Int

    package init(key: ObjectKey, column: Int) {
        self.key = key
        self.column = column
    }
}

package enum ListEdit: Hashable, Sendable {
    case insert(Int, Value)
    case remove(Int)
    case set(Int, Value)
    case move(Int, Int)
    /// Carries the count before it.
    case clear(Int)
}

/// A set of columns of one class.
package struct ColumnSet: Hashable, Sendable {
    /// Columns 0–63, which is nearly always all of them.
    private var first: UInt64 = 0
    private var rest: [UInt64] = []

    package init() {}

    package init(_ columns: some Sequence<Int>) {
        for column in columns { insert(column) }
    }

    package var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    package func contains(_ column: Int) -> Bool {
        if column < 64 { return first >> UInt64(column) & 1 != 0 }
        let word = column / 64 - 1
        return word < rest.count && rest[word] >> UInt64(column % 64) & 1 != 0
    }

    package mutating func insert(_ column: Int) {
        if column < 64 {
            first |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(column % 64)
    }

    package mutating func formUnion(_ other: ColumnSet) {
        first |= other.first
        while rest.count < other.rest.count { rest.append(0) }
        for word in other.rest.indices { rest[word] |= other.rest[word] }
    }

    package func isDisjoint(with other: ColumnSet) -> Bool {
        first & other.first == 0 && zip(rest, other.rest).allSatisfy { $0 & $1 == 0 }
    }

    /// Ascending.
    package var columns: [Int] {
        var result: [Int] = []
        for (index, word) in ([first] + rest).enumerated() {
            var word = word
            while word != 0 {
                result.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
        return result
    }
}
