package import CausewayModel

/// What the write in progress did to a table: enough to bring a query result up to date without asking everything again.
extension Table {
    /// How often this write changed something here; 0 outside of writes. Equal counts in one write mean equal content.
    package var editCount: Int {
        transaction.settle()
        // A list that is changed again is noted as changed no second time.
        return changes.editCount &+ Int(bitPattern: listVersion.pointee &- listVersionBefore)
    }

    /// What this write changed so far.
    ///
    /// - Complexity: O(changes).
    package var changesSoFar: ClassChanges {
        transaction.settle()
        return changes.record
    }

    /// Every object this write touched, also those it made and deleted again. Ascending.
    ///
    /// - Complexity: O(k log k) for k changes.
    package var touchedKeys: [ObjectKey] {
        transaction.settle()
        return changes.touchedKeys
    }
}
