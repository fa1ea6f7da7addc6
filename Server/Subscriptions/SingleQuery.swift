import CausewayModel
package import CausewayQuery
package import CausewayStore

/// A query that is answered once, by the same texts and the same rules as a subscription: it finds what the caller's
/// devices could be sent, and nothing else.
package struct SingleQuery: Sendable {
    package let classNumber: Int
    /// With what the rules add.
    package let predicate: BoundPredicate
    /// How many comparisons the text asks for, without those that the rules add.
    package let termCount: Int

    /// - Parameters:
    ///   - text: nil finds every object of the class that the caller may read.
    ///   - sortColumns: the numbers of the properties that the order of the results depends on. An order reveals as much of
    ///     a property as a comparison with it.
    /// - Throws: `queryInvalid`, with a message that names the cause and the remedy.
    /// - Precondition: the class is one of the snapshot, and no embedded one.
    package init(
        _ text: String?, of classNumber: Int, sortedBy sortColumns: [Int] = [], in snapshot: any StoreSnapshot,
        under permissions: Permissions?
    ) throws(StoreFailure) {
        self.classNumber = classNumber
        let (name, schema) = (snapshot.className(classNumber), snapshot.schema)
        var own = BoundPredicate.constant(true)
        var terms = 0
        if let text { (own, terms) = try Self.bound(text, name, schema) }
        termCount = terms
        guard let rules = permissions?.bound(in: schema)[name] else {
            predicate = own
            return
        }
        var parts = [rules.read]
        for number in own.properties.union(sortColumns).sorted() {
            guard let rule = rules.readable[number] else { continue }
            guard rule != .constant(false) else {
                let property = schema[name]?.properties[number].name ?? ""
                throw StoreFailure(
                    .queryInvalid,
                    "The query or its order uses \(property.quoted) of \(name.quoted), which this user may not read. Use "
                        + "other properties, or ask the operator for the permission.")
            }
            parts.append(rule)
        }
        predicate = BoundPredicate.and(parts + [own]).folded
    }

    private static func bound(
        _ text: String, _ className: String, _ schema: Schema
    ) throws(StoreFailure) -> (BoundPredicate, termCount: Int) {
        guard text.utf8.count <= StandingQueries.predicateBytesMax else {
            throw StoreFailure(
                .queryInvalid,
                "The query has \(text.utf8.count) bytes; \(StandingQueries.predicateBytesMax) are allowed. Compare with a "
                    + "list (IN {…}), or ask in several requests.")
        }
        let bound: BoundPredicate
        let terms: Int
        do throws(QueryError) {
            let predicate = try Predicate.parse(text)
            terms = predicate.termCount
            guard terms <= StandingQueries.termsMax else {
                throw QueryError(
                    .limit,
                    "The query has more than \(StandingQueries.termsMax) comparisons. Compare with a list (IN {…}), or ask "
                        + "in several requests.")
            }
            bound = try predicate.bound(to: className, in: schema)
        } catch {
            throw StoreFailure(.queryInvalid, "The query cannot be answered: \(error)")
        }
        if let path = bound.usesLinks(in: schema).first {
            throw StoreFailure(
                .queryInvalid,
                "The query looks through a link to another object: \(path.quoted). A query may use the properties of the "
                    + "object itself and of objects embedded in it. Ask for the other objects first, and compare the link "
                    + "with them.")
        }
        if let product = bound.productOfCollections(in: schema) {
            throw StoreFailure(
                .queryInvalid,
                "The query compares each element of one collection with each of another: \(product.quoted). Compare an "
                    + "operator such as @count or @max.")
        }
        return (bound, terms)
    }
}

extension Permissions {
    /// The columns of an object that its reader may not see, in no order.
    package func hiddenColumns(of row: Row, in snapshot: any StoreSnapshot) throws(StoreFailure) -> Set<Int> {
        guard let readable = bound(in: snapshot.schema).readable(snapshot.className(row.classNumber)) else { return [] }
        return try snapshot.hidden(in: row, readable)
    }
}
