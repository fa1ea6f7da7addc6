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

    /// By bytes: two spellings of a text are two queries.
    package static func == (left: QueryText, right: QueryText) -> Bool {
        left.className.isSame(as: right.className) && left.predicate.isSame(as: right.predicate)
    }

    package func hash(into hasher: inout Hasher) {
        className.hashBytes(into: &hasher)
        predicate.hashBytes(into: &hasher)
    }
}

/// A device's standing queries, checked against the schema: for each class, the objects that at least one of them
/// matches and that the caller may read.
package struct StandingQueries: Hashable, Sendable {
    /// Ordered by class number.
    package private(set) var byClass: [(classNumber: Int, predicate: BoundPredicate)] = []

    /// How many terms they have together, without those that the rules add.
    package let termCount: Int

    package static let queriesMax = 1000
    package static let predicateBytesMax = 64 << 10
    /// How many terms all queries of a device may have together, unless the operator sets another limit.
    package static let termsMax = 4_000

    package subscript(classNumber: Int) -> BoundPredicate? {
        byClass.first { $0.classNumber == classNumber }?.predicate
    }

    package static func == (left: StandingQueries, right: StandingQueries) -> Bool {
        left.byClass.elementsEqual(right.byClass) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for query in byClass {
            hasher.combine(query.classNumber)
            hasher.combine(query.predicate)
        }
    }

    /// - Throws: `queryInvalid`, with a message that names the query, the cause and the remedy.
    ///
    /// - Parameters:
    ///   - refusing: whether a query by a property that the caller may never read is an error; if not, it matches
    ///     nothing.
    ///   - termsMax: more than so many terms of all queries together (`Predicate.termCount`) are an error.
    package init(
        _ texts: [QueryText], in snapshot: any StoreSnapshot, under permissions: Permissions? = nil,
        refusing: Bool = true, termsMax: Int = Self.termsMax
    ) throws(StoreFailure) {
        guard texts.count <= Self.queriesMax else {
            throw StoreFailure(
                .queryInvalid,
                "\(texts.count) subscriptions are more than the \(Self.queriesMax) a device may have. Widen some of "
                    + "them, so that each covers what several do now.")
        }
        let schema = snapshot.schema
        let rules = permissions?.bound(in: schema)
        var predicates: [Int: [BoundPredicate]] = [:]
        var terms = 0
        for text in texts {
            let (number, predicate) = try Self.bind(text, schema, snapshot, &terms, termsMax)
            let known = try rules?[text.className].map { rules throws(StoreFailure) in
                try Self.reading(only: rules, predicate, text, schema, refusing: refusing)
            }
            predicates[number, default: []].append(known ?? predicate)
        }
        termCount = terms
        byClass = predicates.sorted { $0.key < $1.key }.map { number, alternatives in
            let any = alternatives.count == 1 ? alternatives[0] : BoundPredicate.or(alternatives)
            guard let read = rules?[snapshot.className(number)]?.read, read != .constant(true) else {
                return (number, any)
            }
            return (number, BoundPredicate.and([read, any]).folded)
        }
    }

    private static func bind(
        _ text: QueryText, _ schema: Schema, _ snapshot: any StoreSnapshot, _ terms: inout Int, _ termsMax: Int
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
            let predicate = try Predicate.parse(text.predicate)
            terms += predicate.termCount
            guard terms <= termsMax else { throw Self.tooManyTerms(termsMax) }
            bound = try predicate.bound(to: text.className, in: schema)
        } catch let error as StoreFailure {
            throw error
        } catch {
            throw StoreFailure(
                .queryInvalid,
                "The subscription to \(text.className.quoted) with the query \(text.predicate.quoted) cannot be "
                    + "served: \(error)")
        }
        try refuseLinks(bound.usesLinks(in: schema), text)
        if let product = bound.productOfCollections(in: schema) {
            throw StoreFailure(
                .queryInvalid,
                "The subscription to \(text.className.quoted) with the query \(text.predicate.quoted) compares each element "
                    + "of one collection with each of another: \(product.quoted). Compare an operator such as @count or "
                    + "@max, or subscribe to a wider set and filter on the device.")
        }
        return (number, bound)
    }

    private static func tooManyTerms(_ termsMax: Int) -> StoreFailure {
        StoreFailure(
            .queryInvalid,
            "The subscriptions of this device ask for more than \(termsMax) comparisons together. Compare with a list "
                + "(IN {…}) instead of many ORs, or subscribe by a property that says the same.")
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

// MARK: - Properties that not everybody may read
//
// That an object is in a view reveals something of each property that the query compares. So a query finds an object by
// such a property only where the caller may read this property of that object. A query by a property that the caller
// may never read is refused.

extension StandingQueries {
    private static func reading(
        only rules: BoundRules.OfClass, _ predicate: BoundPredicate, _ text: QueryText, _ schema: Schema,
        refusing: Bool
    ) throws(StoreFailure) -> BoundPredicate {
        guard !rules.readable.isEmpty else { return predicate }
        var parts: [BoundPredicate] = []
        for number in predicate.properties.sorted() {
            guard let rule = rules.readable[number] else { continue }
            guard rule != .constant(false) || !refusing else {
                let name = schema[text.className]?.properties[number].name ?? ""
                throw StoreFailure(
                    .queryInvalid,
                    "The subscription to \(text.className.quoted) with the query \(text.predicate.quoted) asks for "
                        + "\(name.quoted), which this user may not read. Subscribe by other properties, or ask the "
                        + "operator for the permission.")
            }
            parts.append(rule)
        }
        return parts.isEmpty ? predicate : BoundPredicate.and(parts + [predicate]).folded
    }
}

extension BoundPredicate {
    /// The properties of the queried class that it looks at, by their numbers.
    var properties: Set<Int> {
        var found: Set<Int> = []
        collect(into: &found)
        return found
    }

    private func collect(into found: inout Set<Int>) {
        var paths: [BoundPath] = []
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts):
            for part in parts { part.collect(into: &found) }
        case .not(let part): part.collect(into: &found)
        case .comparison(let comparison):
            paths = [comparison.path]
            if case .path(let other) = comparison.operand { paths.append(other) }
        case .computed(let computation): paths = computation.paths
        case .type(let test):
            paths = [test.path]
            if case .path(let other) = test.right { paths.append(other) }
        case .geoWithin(let within): paths = [within.path]
        // The condition is about what the collection holds, which belongs to the property.
        case .subquery(let subquery):
            paths = [subquery.count.path]
            if case .path(let other) = subquery.count.operand { paths.append(other) }
        case .pairs(let pairs): paths = pairs.paths
        }
        for path in paths {
            if let step = path.steps.first { found.insert(step.schemaIndex) }
        }
    }
}

extension String {
    /// Names and queries come from outside: bounded and on one line in a message.
    var quoted: String {
        let bounded = count <= 200 ? self : String(prefix(200)) + "…"
        return "“" + String(bounded.map { $0.isNewline ? " " : $0 }) + "”"
    }
}
