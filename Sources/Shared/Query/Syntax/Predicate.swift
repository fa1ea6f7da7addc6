package import CausewayModel

/// A condition over the objects of one class, as written: names are not yet checked against a schema.
package indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
    case comparison(Comparison)
    case geoWithin(GeoWithin)
}

/// `left operator right`, with the quantifier that stands before it.
package struct Comparison: Hashable, Sendable {
    /// Of the path, wherever it stands; of the left one where both sides are paths.
    package var quantifier: Quantifier
    /// Of the right path where both sides are paths.
    package var rightQuantifier = Quantifier.implied
    package var left: Expression
    package var comparator: Comparator
    package var options: TextOptions
    package var right: Expression
    package var digits = WrittenDigits()

    package init(
        quantifier: Quantifier = .implied,
        _ left: Expression,
        _ comparator: Comparator,
        _ right: Expression,
        options: TextOptions = []
    ) {
        self.quantifier = quantifier
        self.left = left
        self.comparator = comparator
        self.options = options
        self.right = right
    }
}

package enum Quantifier: UInt8, Hashable, Sendable {
    /// None written: a key path through a collection means `any`.
    case implied
    case any
    case all
    case none
}

package enum Comparator: UInt8, Hashable, Sendable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
    /// The right side is `.values`: equal to one of them.
    case `in`
    /// The right side is `.values` of two: inclusive at both ends.
    case between
    case beginsWith
    case endsWith
    case contains
    case like
    /// The right side is what to search for: words that a string must have, and words that it must not have.
    case text
}

package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let caseInsensitive = TextOptions(rawValue: 1)
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
}

package enum Expression: Hashable, Sendable {
    case path(PropertyPath)
    case value(Value)
    /// The operands of IN and BETWEEN.
    case values([Value])
    case subquery(Subquery)
    case arithmetic(Arithmetic)
    /// `ANY {1, 2}`: a list with a quantifier of its own, each value of which is compared by itself.
    case quantified(Quantifier, [Value])
    /// `anything.@type`
    case typeOf(PropertyPath)
    /// A claim about the caller of a rule, by its number in the rule. The parser reads none, and no schema can bind
    /// one: a claim is never a property, whatever properties there are.
    case claim(Int)
}

/// `SUBQUERY(dogs, $x, $x.age > 5).@count`: how many elements of one collection of objects meet a condition.
package struct Subquery: Hashable, Sendable {
    package var collection: PropertyPath
    /// Its paths begin at the element. The name of the variable is not kept.
    package var condition: Predicate

    package init(_ collection: PropertyPath, where condition: Predicate) {
        self.collection = collection
        self.condition = condition
    }
}

/// `dogs.age`, `address.city`, `dogs.@count`: stored property names from the queried class outwards.
package struct PropertyPath: Hashable, Sendable {
    package var names: [String]
    /// Which element of a list is meant, by the position of its name.
    package var places: [Int: ListPlace] = [:]
    /// The part of the map at the end of the names; nil where the path names none.
    package var part: MapPart?
    /// Steps into what mixed values hold, behind the part: `any[0]['key']`. A key that stands first is the part.
    package var nested: [NestedStep] = []
    package var aggregate: Aggregate?

    package init(_ names: [String], part: MapPart? = nil, aggregate: Aggregate? = nil) {
        self.names = names
        self.part = part
        self.aggregate = aggregate
    }
}

/// The last piece of a path into a map.
package enum MapPart: Hashable, Sendable {
    /// `parks.@keys`
    case keys
    /// `parks.@values`, which says the same as `parks`
    case values
    /// `parks['Chicago']`: one value, null where the key is not there.
    case value(ExactString)
}

/// An operator on the collection in a path: `dogs.@avg.age` is names ["dogs", "age"] and `average`.
package enum Aggregate: UInt8, Hashable, Sendable {
    case count
    case minimum
    case maximum
    case sum
    case average
}

/// The order of results: a path of to-one links ending in a value, and a direction.
package struct SortKey: Hashable, Sendable {
    package var path: PropertyPath
    package var ascending: Bool

    package init(_ path: PropertyPath, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
    }
}
