package import CausewayModel

/// A predicate whose names, types and operators a schema has confirmed: what the evaluators run.
package indirect enum BoundPredicate: Hashable, Sendable {
    case constant(Bool)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
    case comparison(BoundComparison)
    case subquery(BoundSubquery)
    case geoWithin(BoundGeoWithin)
    case computed(BoundComputation)
    case type(BoundTypeTest)
    case pairs(BoundPairs)
}

/// One comparison. The operand on the left is always a path; a constant on the left was turned round.
package struct BoundComparison: Hashable, Sendable {
    package var quantifier: Quantifier
    package var path: BoundPath
    package var comparator: Comparator
    package var options: TextOptions
    package var operand: Operand

    package init(
        quantifier: Quantifier, path: BoundPath, comparator: Comparator, options: TextOptions, operand: Operand
    ) {
        self.quantifier = quantifier
        self.path = path
        self.comparator = comparator
        self.options = options
        self.operand = operand
    }
}

/// Compares the number of elements of a collection that meet a condition with constants.
package struct BoundSubquery: Hashable, Sendable {
    /// The comparison of the number of elements. Its path ends in the collection, with the aggregate `count`.
    package var count: BoundComparison
    /// Over the class of the elements. An element whose object is not here does not meet it.
    package var condition: BoundPredicate

    package init(count: BoundComparison, condition: BoundPredicate) {
        self.count = count
        self.condition = condition
    }
}

package enum Operand: Hashable, Sendable {
    /// Already converted to the type of the path's last property, where that loses nothing.
    case value(Value)
    case values([Value])
    case path(BoundPath)
}

/// A path by position: which property of which class each step takes.
package struct BoundPath: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package var className: String
        /// The property's index in its class's schema; the complement of it for a map's keys. The class is the target
        /// for a step backwards.
        package var property: Int
        /// The key of a map whose value is meant: then the step has one value.
        package var mapKey: ExactString?
        /// Steps into the mixed values of the property. The first one goes into the property's own list or map, if it
        /// is one.
        package var nested: [NestedStep] = []
        /// Which element of a list is meant: then the step has one value.
        package var place: ListPlace?
        package var type: PropertyType
        package var collection: CollectionKind
        /// The class the step leads to, for links and lists of objects.
        package var target: String?
        package var direction = Direction.forward

        package init(className: String, property: Int, type: PropertyType, collection: CollectionKind, target: String?)
        {
            self.className = className
            self.property = property
            self.type = type
            self.collection = collection
            self.target = target
        }

        /// Whether the step reads a single value from a column: it is no collection, and reads nothing out of one.
        package var isColumn: Bool { collection == .none && mapKey == nil && place == nil && nested.isEmpty }

        /// Whether an object has several values there.
        var isToMany: Bool {
            nested.isEmpty || nested == [.length] ? collection != .none : nested.contains(where: \.isToMany)
        }

        /// The property's index in its class's schema, also of a step to a map's keys.
        package var schemaIndex: Int { property < 0 ? ~property : property }
    }

    /// Which way a step goes along a link. Schemas do not contain the way back: it follows from the links.
    package enum Direction: Hashable, Sendable {
        /// To what a property of the object holds.
        case forward
        /// To the objects of the target class whose property links to the object, once for each link.
        case backward
        /// To whatever links to the object through any property of any class. It can only be counted.
        case backwardFromAnywhere
    }

    package var steps: [Step]
    package var aggregate: Aggregate?

    /// Whether the operator folds each of several collections of values by itself, as in `ANY dogs.scores.@max > 5`. Over
    /// objects it folds all of them together.
    package var foldsEach: Bool {
        guard aggregate != nil, let last = steps.last, last.collection != .none, last.type != .object else {
            return false
        }
        return steps.dropLast().contains(where: \.isToMany)
    }

    package init(steps: [Step], aggregate: Aggregate? = nil) {
        self.steps = steps
        self.aggregate = aggregate
    }
}
