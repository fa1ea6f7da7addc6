import CausewayModel
package import CausewayStore

/// The standing queries of one device, parsed and bound once for as long as texts, schema and permissions stay the
/// same. Binding costs more than most differences, and most differences have the same queries as the one before.
///
/// Used by one thread at a time.
package final class KeptQueries {
    let termsMax: Int
    private var kept: [Kept] = []
    private let willKeep: (_ terms: Int) throws(StoreFailure) -> Void

    private struct Kept {
        var texts: [QueryText]
        var schema: Schema
        var permissions: UInt64
        var queries: StandingQueries
    }

    /// The queries that a device holds, and those that it wants.
    private static let keptMax = 2

    /// - Parameter willKeep: called with the number of terms that everything kept is about to have
    ///   (`StandingQueries.termCount`). When it throws, what was kept stays as it was.
    package init(
        termsMax: Int = StandingQueries.termsMax,
        willKeep: @escaping (_ terms: Int) throws(StoreFailure) -> Void = { _ throws(StoreFailure) in }
    ) {
        self.termsMax = termsMax
        self.willKeep = willKeep
    }

    /// - Throws: see `StandingQueries`, and what `willKeep` throws.
    package func queries(
        _ texts: [QueryText], in snapshot: any StoreSnapshot, under permissions: Permissions?, refusing: Bool
    ) throws(StoreFailure) -> StandingQueries {
        let schema = snapshot.schema
        let fingerprint = permissions?.fingerprint ?? 0
        let place = kept.firstIndex {
            $0.permissions == fingerprint && $0.texts == texts && $0.schema == schema
        }
        // A refused query was never kept, but a narrowed one may have to be refused now.
        if let place, !refusing || fingerprint == 0 { return kept[place].queries }
        let queries = try StandingQueries(
            texts, in: snapshot, under: permissions, refusing: refusing, termsMax: termsMax)
        var next = kept
        if let place { next.remove(at: place) }
        next.append(Kept(texts: texts, schema: schema, permissions: fingerprint, queries: queries))
        if next.count > Self.keptMax { next.removeFirst() }
        try willKeep(next.reduce(0) { $0 + $1.queries.termCount })
        kept = next
        return queries
    }
}
