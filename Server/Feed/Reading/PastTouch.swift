import CausewayModel
import CausewayStore

/// What a version did to an object, as the window notes it.
struct PastTouch {
    var image: ImageReference
    var before: VersionRecord.Before
    /// See `VersionRecord.Touch.row`.
    var row: ObjectKey?
    /// The properties that operations named: its image holds each of them.
    var columns: PropertyNumbers

    /// Whether the image may hold a property that is not as it was found any more.
    ///
    /// - Parameter next: what touched the object next. While the object stays in its row, a version changes only what it names.
    ///   One that ends a life changes everything, and its image holds everything.
    func mayHold(_ column: Int, next: PastTouch?) -> Bool {
        guard before == .image else { return false }
        return columns.contains(column) || next.map { ends(before: $0) } ?? true
    }

    /// Whether this one ended the life that the next one did not find any more.
    func ends(before next: PastTouch) -> Bool { next.before == .absent || next.row != row }
}

/// Sorts out what later versions did to an object of the window. For versions before all of these, only the first image that holds
/// a property counts: so a few touches are kept for each object, however often it is touched.
struct TouchTail {
    /// The properties that the images so far hold.
    private var held = PropertyNumbers()
    private var last: PastTouch?
    /// Whether the last one has nothing that is not in those before it.
    private var isLastNeedless = false
    /// Whether the life has ended: what follows is of another one.
    private var isClosed = false

    enum Place {
        case behind
        case insteadOfLast
        case nowhere
    }

    mutating func place(_ touch: PastTouch) -> Place {
        if isClosed { return .nowhere }
        if let last, last.ends(before: touch) { isClosed = true }
        if touch.before == .absent { isClosed = true }
        defer { note(touch) }
        return isLastNeedless && !isClosed ? .insteadOfLast : .behind
    }

    private mutating func note(_ touch: PastTouch) {
        let isFirst = last == nil
        last = touch
        guard touch.before == .image else {
            isLastNeedless = !isFirst
            return
        }
        var columns = touch.columns
        columns.subtract(held)
        isLastNeedless = !isFirst && columns.isEmpty
        held.formUnion(touch.columns)
    }
}
