import CausewayModel
import CausewayStore

/// The standing queries of one device, parsed and bound once for as long as what they are bound to stays: that costs more
/// than most differences, and most differences are of the same queries as the one before.
///
/// Used by one thread at a time.
package final class KeptQueries {
    let termsMax: Int
    private var kept: [Kept] = []

    private struct Kept {
        var texts: [QueryText]
        var schema: Schema
        var permissions: UInt64
        var queries: StandingQueries
    }

    /// The queries that a device holds, and those that it wants.
    private static let keptMax = 2

    package init(termsMax: Int = StandingQueries.termsMax) {
        self.termsMax = termsMax
    }

    /// - Throws: see `StandingQueries`.
    func queries(
        _ texts: [QueryText], in snapshot: any StoreSnapshot, under permissions: Permissions?, refusing: Bool
    ) throws(StoreFailure) -> StandingQueries {
        let schema = snapshot.schema
        let fingerprint = permissions?.fingerprint ?? 0
        let place = kept.firstIndex {
            $0.permissions == fingerprint && $0.texts == texts && $0.schema == schema
        }
        // What is refused was never kept, but what was narrowed may have to be refused now.
        if let place, !refusing || fingerprint == 0 { return kept[place].queries }
        let queries = try StandingQueries(
            texts, in: snapshot, under: permissions, refusing: refusing, termsMax: termsMax)
        if let place { kept.remove(at: place) }
        kept.append(Kept(texts: texts, schema: schema, permissions: fingerprint, queries: queries))
        if kept.count > Self.keptMax { kept.removeFirst() }
        return queries
    }
}
