package import CausewayModel
import CausewayQuery
package import CausewayStore

/// How far a device was told a change of its view before the change was cut, at the version of that change.
package struct ToldUpTo: Hashable, Sendable {
    /// The queries before the change. The queries after it are `held` of the `ViewDifference`.
    package var base: [QueryText]
    /// Entering objects were told up to this row of the class, and all of the classes before it.
    package var className: String
    package var row: ObjectKey

    package init(base: [QueryText], className: String, row: ObjectKey) {
        self.base = base
        self.className = className
        self.row = row
    }
}

extension ViewDifference {
    /// Whether a cut change that a device reports can be continued here.
    package static func canResume(
        _ snapshot: any StoreSnapshot, _ told: ToldUpTo, held: [QueryText], termsMax: Int = StandingQueries.termsMax
    ) -> Bool {
        do {
            let held = try StandingQueries(held, in: snapshot, refusing: false, termsMax: termsMax)
            _ = try StagedClaims(told, held: held, in: snapshot, under: nil, termsMax: termsMax)
            return true
        } catch {
            return false
        }
    }
}

/// What a device that was cut in the middle of a change holds for certain, with what it has staged: of the rows that
/// were told, what the change led to; of the other rows, what it also held before.
///
///     certain = held AND (row ≤ end OR base)
///
/// Other objects that it has matched `held` as well, or were written by it, because changes of others were told before
/// the rows. So an object that is not certain is told whole and not as a change. One that `held` matched is told to
/// leave or to be deleted, whether the device has it or not.
struct StagedClaims {
    private let base: StandingQueries
    private let held: StandingQueries
    private let end: Row

    init(
        _ told: ToldUpTo, held: StandingQueries, in snapshot: any StoreSnapshot, under permissions: Permissions?,
        termsMax: Int
    ) throws(StoreFailure) {
        guard let number = snapshot.classNumber(told.className) else {
            throw StoreFailure(
                .queryInvalid,
                "The device says that it was told objects of the class \(told.className.quoted), which this database "
                    + "does not have.")
        }
        base = try StandingQueries(
            told.base, in: snapshot, under: permissions, refusing: false, termsMax: termsMax)
        self.held = held
        end = Row(number, told.row)
    }

    /// - Parameter matched: whether the row matched a query at the version of the change.
    func holds(_ row: Row, matched: (BoundPredicate) throws(StoreFailure) -> Bool) throws(StoreFailure) -> Bool {
        guard let query = held[row.classNumber], try matched(query) else { return false }
        if row <= end { return true }
        return try base[row.classNumber].map { base throws(StoreFailure) in try matched(base) } ?? false
    }

    /// The certain rows among those that did not change since; ascending.
    func keys(_ classNumber: Int, in snapshot: any StoreSnapshot) throws(StoreFailure) -> [ObjectKey] {
        guard let query = held[classNumber] else { return [] }
        let all = try snapshot.keys(classNumber, matching: query)
        let count = all.partitioningIndex { Row(classNumber, $0) > end }
        guard let base = base[classNumber] else { return Array(all[..<count]) }
        let rest = Array(all[count...])
        let entering = sorted(rest, without: try snapshot.keys(classNumber, matching: base))
        return all[..<count] + sorted(rest, without: entering)
    }
}
