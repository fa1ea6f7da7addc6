package import CausewayModel

// A view change that comes in parts may be cut between two parts. All that concerns one object is in one part. Objects
// that enter come last, in the order of their rows, so a row shows how far the device has received them.

/// A place behind a part of a view change, where a cut change can resume. The server sends it, and the device keeps it
/// for the server.
package struct ResumePoint: Hashable, Sendable {
    /// The checkpoint that the whole change would lead to.
    package var checkpoint: Checkpoint
    /// Entering objects have been sent up to this row of the class, and all of the classes before it.
    package var reached: RowPosition

    package init(checkpoint: Checkpoint, reached: RowPosition) {
        self.checkpoint = checkpoint
        self.reached = reached
    }
}

/// A row in the server's store.
package struct RowPosition: Hashable, Sendable {
    package var className: String
    package var row: ObjectKey

    package init(className: String, row: ObjectKey) {
        self.className = className
        self.row = row
    }
}

/// The part of a cut view change that a device keeps, as sent in its hello. At the version of the checkpoint it holds
/// at least the objects that matched
///
///     queries AND (row ≤ reached OR held)
///
/// where `held` are the queries that the device held before the change, as in its hello.
package struct StagedView: Hashable, Sendable {
    /// The last point that the device received.
    package var point: ResumePoint
    /// The queries that the device holds after the change.
    package var queries: QuerySet

    package init(point: ResumePoint, queries: QuerySet) {
        self.point = point
        self.queries = queries
    }

    package var checkpoint: Checkpoint { point.checkpoint }
}
