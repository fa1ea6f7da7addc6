package import CausewayModel

/// What the write in progress did to a table: enough to update a query result without running the query again.
extension Table {
    /// How often this write changed something here; 0 outside of writes. Equal counts in one write mean equal content.
    package var editCount: Int {
        transaction.settle()
        // A list that changes again is not noted a second time; its version counts those changes.
        return changes.editCount &+ Int(bitPattern: listVersion.pointee &- listVersionBefore)
    }

    /// What this write changed so far.
    ///
    /// - Complexity: O(changes).
    package var changesSoFar: ClassChanges {
        transaction.settle()
        return changes.record
    }

    /// What this write did to a list so far; none if its object is new.
    package func listEditsSoFar(_ key: ObjectKey, _ column: Int) -> [ListEdit] {
        transaction.settle()
        guard let list = writtenLists[ChangedList(key: key, column: column)] else { return [] }
        list.settle()
        return list.edits
    }

    /// Every object that this write touched, also those that it made and deleted again. Ascending.
    ///
    /// - Complexity: O(k log k) for k changes.
    package var touchedKeys: [ObjectKey] {
        transaction.settle()
        return changes.touchedKeys
    }
}
