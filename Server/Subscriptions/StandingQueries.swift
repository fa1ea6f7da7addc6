import CausewayModel
package import CausewayQuery
package import CausewayStore

/// A standing query as the device wrote it.
package struct QueryText: Hashable, Sendable {
    package var className: String
    package var predicate: String

    package init(className: String, predicate: String) {
        self.className = className
        self.predicate = predicate
    }
}

/// A device's standing queries, checked against the schema: for each class what at least one of them matches.
package struct StandingQueries: Hashable, Sendable {
    /// Ordered by class number.
    package private(set) var byClass: [(classNumber: Int, predicate: BoundPredicate)] = []

    package static let queriesMax = 1000
    package static let predicateBytesMax = 64 << 10

    package subscript(classNumber: Int) -> BoundPredicate? {
        byClass.first { $0.classNumber == classNumber }?.predicate
    }

    package static func == (left: StandingQueries, right: StandingQueries) -> Bool {
        left.byClass.elementsEqual(right.byClass) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for query in byClass { hasher.combine(query.classNumber) }
    }

    /// - Throws: `queryInvalid`, with a message that names the query, the cause and the remedy.
    package init(_ texts: [QueryText], in snapshot: any StoreSnapshot) throws(StoreFailure) {
        guard texts.count <= Self.queriesMax else {
            throw StoreFailure(
                .queryInvalid,
                "\(texts.count) subscriptions are more than the \(Self.queriesMax) a device may have. Widen some of "
                    + "them, so that each covers what several do now.")
        }
        let schema = snapshot.schema
        var predicates: [Int: [BoundPredicate]] = [:]
        for text in texts {
            let (number, predicate) = try Self.bind(text, schema, snapshot)
            predicates[number, default: []].append(predicate)
        }
        byClass = predicates.sorted { $0.key < $1.key }.map { number, alternatives in
            (number, alternatives.count == 1 ? alternatives[0] : .or(alternatives))
        }
    }

    private static func bind(
        _ text: QueryText, _ schema: Schema, _ snapshot: any StoreSnapshot
    ) throws(StoreFailure) -> (Int, BoundPredicate) {
        guard let classSchema = schema[text.className], let number = snapshot.classNumber(text.className) else {
            throw StoreFailure(
                .queryInvalid,
                "The subscription names the class \(text.className.quoted), which the server does not know. Correct "
                    + "the name, or connect once with a schema that has the class.")
        }
        guard classSchema.kind == .object else {
            throw StoreFailure(
                .queryInvalid,
                "The subscription names the class \(text.className.quoted), whose objects are "
                    + (classSchema.kind == .embedded
                        ? "embedded in others. Subscribe to the class that holds them: they come with it."
                        : "sent one way and never read on a device. Remove the subscription."))
        }
        guard text.predicate.utf8.count <= predicateBytesMax else {
            throw StoreFailure(
                .queryInvalid,
                "A subscription to \(text.className.quoted) is \(text.predicate.utf8.count) bytes long; "
                    + "\(predicateBytesMax) are allowed. Split it, or compare a property that says the same.")
        }
        let bound: BoundPredicate
        do {
            bound = try Predicate.parse(text.predicate).bound(to: text.className, in: schema)
        } catch {
            throw StoreFailure(
                .queryInvalid,
                "The subscription to \(text.className.quoted) with the query \(text.predicate.quoted) cannot be "
                    + "served: \(error)")
        }
        try refuseLinks(bound.usesLinks(in: schema), text)
        return (number, bound)
    }
}

// MARK: - Paths through links
//
// Whether an object belongs to a view must follow from the object itself. A path through a link would make it depend
// on another object, whose change touches nothing here. Embedded objects are part of the object.

extension StandingQueries {
    private static func refuseLinks(_ paths: [String], _ text: QueryText) throws(StoreFailure) {
        guard let path = paths.first else { return }
        throw StoreFailure(
            .queryInvalid,
            "The subscription to \(text.className.quoted) with the query \(text.predicate.quoted) looks through a link "
                + "to another object: \(path.quoted). A subscription may use the properties of the object itself and "
                + "of objects embedded in it. Copy what decides into a property of \(text.className.quoted), or "
                + "subscribe to a wider set and filter on the device.")
    }
}

extension String {
    /// Names and queries come from outside: bounded and on one line in a message.
    var quoted: String {
        let bounded = count <= 200 ? self : String(prefix(200)) + "…"
        return "“" + String(bounded.map { $0.isNewline ? " " : $0 }) + "”"
    }
}
