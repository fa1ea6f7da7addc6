package import CausewayQuery
public import Foundation

// Foundation on Linux has NSPredicate but does not read format strings: its own initialisers are marked unavailable.
// These take their place, so that code written for RealmSwift compiles as it is. The predicate is Foundation's own
// block predicate whose block, asked about a probe of ours, hands over what was read. Two such predicates are equal
// only when they are the same object, and no one but this library can evaluate them.

extension NSPredicate {
    /// The predicate that a text says, with arguments for its `%@`, `%d`, `%K` and the like.
    ///
    /// ```swift
    /// tasks.filter(NSPredicate(format: "progressMinutes > 1 AND name == %@", "Ali"))
    /// ```
    ///
    /// A text that cannot be read stops the program and says where it went wrong.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(reading: format, arguments)
    }

    /// The predicate that a text says, with its arguments in an array.
    ///
    /// ```swift
    /// let puppies = dogs.filter(NSPredicate(format: "age < %@ AND name != %@", argumentArray: [2, ""]))
    /// ```
    public convenience init(format: String, argumentArray: [Any]?) {
        self.init(reading: format, argumentArray ?? [])
    }

    private convenience init(reading format: String, _ arguments: [Any?]) {
        let predicate = readPredicate(format, arguments)
        self.init(block: { subject, _ in
            guard let probe = subject as? PredicateProbe else {
                misuse("A predicate with a format string can only filter collections of a Realm.")
            }
            probe.predicate = predicate
            return true
        })
    }
}

/// Stands for the object that Foundation thinks it is testing.
private final class PredicateProbe {
    var predicate: CausewayQuery.Predicate?
}

extension CausewayQuery.Predicate {
    /// What an NSPredicate says: one made from a format string, a constant, or a compound of these.
    package init(_ predicate: NSPredicate) {
        if let compound = predicate as? NSCompoundPredicate {
            self.init(compound)
            return
        }
        // Foundation compares constants by value, and says nothing else about them.
        if predicate == NSPredicate(value: true) {
            self = .constant(true)
        } else if predicate == NSPredicate(value: false) {
            self = .constant(false)
        } else {
            let probe = PredicateProbe()
            _ = predicate.evaluate(with: probe)
            guard let read = probe.predicate else {
                misuse(
                    "Only predicates with a format string, constants and compounds of these are supported: "
                        + "a block cannot be run over a database. Use NSPredicate(format:) or where."
                )
            }
            self = read
        }
    }

    private init(_ compound: NSCompoundPredicate) {
        let parts = compound.subpredicates.map(CausewayQuery.Predicate.init)
        switch compound.compoundPredicateType {
        case .and: self = .all(of: parts)
        case .or: self = .any(of: parts)
        case .not:
            guard let part = parts.first, parts.count == 1 else {
                misuse("A NOT predicate negates exactly one predicate, not \(parts.count).")
            }
            self = .not(part)
        @unknown default: misuse("A compound predicate of an unknown kind cannot be run.")
        }
    }
}

/// Reads a format string. One that is not a predicate is a mistake of the program and stops it.
package func readPredicate(_ format: String, _ arguments: [Any?]) -> CausewayQuery.Predicate {
    do {
        return try CausewayQuery.Predicate.parse(format, arguments: queryArguments(arguments))
    } catch {
        misuse("\(error)")
    }
}
