package import CausewayModel

// A view change that comes in parts may be cut between them. What is about one object stands in one part, and objects
// that enter come last and in the order of their rows, so that a row says what the device has been told.

/// Behind this part a cut change may go on later. Told by the server, kept by the device, meant for the server.
package struct ResumePoint: Hashable, Sendable {
    /// What the change would lead to, were it whole.
    package var checkpoint: Checkpoint
    /// Objects that enter have been told up to this row of the class, and of the classes before it.
    package var reached: RowPosition

    package init(checkpoint: Checkpoint, reached: RowPosition) {
        self.checkpoint = checkpoint
        self.reached = reached
    }
}

/// A row in the server's record.
package struct RowPosition: Hashable, Sendable {
    package var className: String
    package var row: ObjectKey

    package init(className: String, row: ObjectKey) {
        self.className = className
        self.row = row
    }
}

/// What a device keeps of a change that was cut, as its hello says. It holds for certain, as of the version of the
/// checkpoint, what matched
///
///     queries AND (row ≤ reached OR held)
///
/// where `held` is what the change led away from: the queries that the hello says it holds.
package struct StagedView: Hashable, Sendable {
    /// The last point that came.
    package var point: ResumePoint
    /// The queries that the change leads to.
    package var queries: QuerySet

    package init(point: ResumePoint, queries: QuerySet) {
        self.point = point
        self.queries = queries
    }

    package var checkpoint: Checkpoint { point.checkpoint }
}
