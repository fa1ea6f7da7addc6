import CausewayModel
import CausewayQuery
import CausewaySession
import CausewayStore
import CausewaySubscriptions

/// Finds the objects of one page, step by step: no step holds a thread for longer than others may wait.
///
/// Unchecked: one thread at a time calls it, each step after the one before.
final class PageScan: @unchecked Sendable {
    let snapshot: any StoreSnapshot
    private let classNumber: Int
    private let predicate: BoundPredicate
    private let order: SortOrder
    private let after: SortOrder.Position?
    private let limit: Int
    private let isCounting: Bool
    /// The next row to look at, and the end of the class.
    private var next: Int64
    private let end: Int64
    private var rowsAtOnce: Int64
    private let rowsAtOnceMax: Int64
    private var steps = 0
    private(set) var count = 0
    /// What was found, in order once the scan is done; one more than the page has room for, if there is more.
    private(set) var found: [SortOrder.Position] = []
    /// In an order, the last one that is kept once the page is full: what does not precede it is on a later page.
    private var worst: SortOrder.Position?
    /// The scan ended before it had seen everything.
    private(set) var isCut = false

    /// How many comparisons are made in one piece: some milliseconds.
    static let comparisonsAtOnceMax: Int64 = 1 << 18
    static let rowsAtOnceRange: ClosedRange<Int64> = 64...65_536
    static let rowsAtOnceFirst: Int64 = 1_024
    /// In an order the values of each row are read, so fewer rows are looked at in one piece.
    static let rowsAtOnceOfOrderMax: Int64 = 4_096
    /// How many positions are held besides those of a page, before they are put in order and most of them dropped. With
    /// `SortOrder.keysMax` values of `SortOrder.valueBytesMax` bytes each it bounds what an order holds in memory.
    static let positionsBesidesPageMax = 4_096
    /// How many steps a request may take: with steps of 20 ms, a second of one thread.
    static let stepsMax = 50

    init(
        _ snapshot: any StoreSnapshot, _ query: SingleQuery, order: SortOrder, after: SortOrder.Position?, limit: Int,
        isCounting: Bool
    ) {
        self.snapshot = snapshot
        classNumber = query.classNumber
        predicate = query.predicate
        let rows = Self.comparisonsAtOnceMax / Int64(max(query.termCount, 1))
        let most = order.keys.isEmpty ? Self.rowsAtOnceRange.upperBound : Self.rowsAtOnceOfOrderMax
        rowsAtOnceMax = min(max(rows, Self.rowsAtOnceRange.lowerBound), most)
        rowsAtOnce = min(Self.rowsAtOnceFirst, rowsAtOnceMax)
        self.order = order
        self.after = after
        self.limit = limit
        self.isCounting = isCounting
        end = snapshot.rowsEnd(classNumber).rawValue
        // A count is of the whole list, whatever page it stands on. A cursor may name any row.
        let isWhole = isCounting || !order.keys.isEmpty
        next = isWhole ? 0 : max(-1, min(after?.row.rawValue ?? -1, end)) + 1
    }

    /// Whether all of the list has to be gone over.
    private var isWhole: Bool { isCounting || !order.keys.isEmpty }

    /// Goes on for a step.
    ///
    /// - Returns: whether the page is found.
    func step(until stepEnd: StepEnd) throws(APIError) -> Bool {
        steps += 1
        while next < end {
            if !isWhole, found.count > limit { break }
            if stepEnd.isReached {
                guard steps >= Self.stepsMax else { return false }
                guard !isWhole else { throw .tooCostly }
                isCut = true
                break
            }
            do throws(StoreFailure) {
                try scanRows()
            } catch {
                throw APIError(error)
            }
        }
        keepFirst()
        return true
    }

    private func scanRows() throws(StoreFailure) {
        let last = min(next + rowsAtOnce, end) - 1
        let keys = try snapshot.keys(classNumber, matching: predicate, in: ObjectKey(next)...ObjectKey(last))
        next = last + 1
        rowsAtOnce = min(rowsAtOnce * 2, rowsAtOnceMax)
        count += keys.count
        for key in keys {
            if order.keys.isEmpty, found.count > limit { break }
            keep(order.position(of: Row(classNumber, key), in: snapshot))
        }
    }

    /// Keeps a position if it may be one of the page.
    private func keep(_ position: SortOrder.Position) {
        if let after, !order.precedes(after, position) { return }
        if let worst, !order.precedes(position, worst) { return }
        found.append(position)
        if found.count > limit + Self.positionsBesidesPageMax { keepFirst() }
    }

    private func keepFirst() {
        if !order.keys.isEmpty { found.sort(by: order.precedes) }
        if found.count > limit + 1 { found.removeSubrange((limit + 1)...) }
        if !order.keys.isEmpty, found.count > limit { worst = found.last }
    }

    /// Where the scan stopped, if it was cut.
    var cutPosition: SortOrder.Position { SortOrder.Position(row: ObjectKey(next - 1)) }
}

extension APIError {
    fileprivate static var tooCostly: APIError {
        APIError(
            .tooCostly,
            "An order or a count looks at every object that the query may find, and these take longer than one request may. "
                + "Narrow where, best by an indexed property, or read the pages without sort and count.")
    }
}
