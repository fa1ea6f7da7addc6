package import CausewayQuery
public import Foundation

// NSPredicate of Foundation on Linux does not parse format strings: its own initialisers are marked unavailable.
// These replace them, so that code written for RealmSwift compiles unchanged. The result is a block predicate of
// Foundation. When its block is evaluated with our probe, it stores the parsed condition in the probe. Two such
// predicates are equal only when they are the same object, and only this library can evaluate them.

extension NSPredicate {
    /// Creates a predicate from a format string with arguments for its placeholders such as `%@`, `%d` and `%K`.
    ///
    /// ```swift
    /// tasks.filter(NSPredicate(format: "progressMinutes > 1 AND name == %@", "Ali"))
    /// ```
    ///
    /// A format string that cannot be parsed stops the program with a message that names the position.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(reading: format, arguments)
    }

    /// Creates a predicate from a format string with its arguments in an array.
    ///
    /// ```swift
    /// let puppies = dogs.filter(NSPredicate(format: "age < %@ AND name != %@", argumentArray: [2, ""]))
    /// ```
    public convenience init(format: String, argumentArray: [Any]?) {
        self.init(reading: format, argumentArray ?? [])
    }

    private convenience init(reading format: String, _ arguments: [Any?]) {
        let (predicate, objects) = ComparedObjects.collecting { readPredicate(format, arguments) }
        self.init(block: { subject, _ in
            guard let probe = subject as? PredicateProbe else {
                misuse("A predicate with a format string can only filter collections of a Realm.")
            }
            probe.predicate = predicate
            ComparedObjects.seen?.value.objects += objects
            return true
        })
    }
}

/// Passed to `evaluate(with:)` in place of an object. The predicate's block stores its condition here.
private final class PredicateProbe {
    var predicate: CausewayQuery.Predicate?
}

extension CausewayQuery.Predicate {
    /// Converts an NSPredicate made from a format string, a constant, or a compound of these. Others stop the program.
    package init(_ predicate: NSPredicate) {
        if let compound = predicate as? NSCompoundPredicate {
            self.init(compound)
            return
        }
        // Comparing is the only way to recognise Foundation's constants.
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

/// Parses a format string. An invalid one is a programming error and stops the program.
package func readPredicate(_ format: String, _ arguments: [Any?]) -> CausewayQuery.Predicate {
    do {
        return try CausewayQuery.Predicate.parse(format, arguments: queryArguments(arguments))
    } catch {
        misuse("\(error)")
    }
}
