package import CausewayModel
package import CausewayObjectStore
import CausewayQuery

/// A query of one class, in the text of Realm's query language: `age > 2 SORT(name ASC) LIMIT(10)`.
package struct ObjectQuery {
    package let className: String
    private let selection: Selection

    package init(_ className: String, _ text: String) throws {
        self.className = className
        do throws(QueryError) {
            selection = try Selection.parse(text)
        } catch {
            throw FileFailure("\(error)")
        }
    }

    /// The rows of the answer, in its order.
    package func rows(in transaction: Transaction) throws -> [ObjectKey] {
        _ = try transaction.namedTable(className)
        do {
            var keys = try transaction.keys(
                className, matching: try transaction.bound(selection.predicate, to: className))
            for step in selection.steps {
                switch step {
                case .sort(let order):
                    var bound: [BoundSortKey] = []
                    for key in order { bound.append(try transaction.bound(key, to: className)) }
                    keys = transaction.sorted(keys, className, by: bound)
                case .distinct:
                    throw FileFailure("DISTINCT is not answered here. Leave it out.")
                case .limit(let count): keys = Array(keys.prefix(count))
                }
            }
            return keys
        } catch let error as QueryError {
            throw FileFailure("\(error)")
        }
    }

    /// How the predicate is answered: which index, which scans.
    package func explanation(in transaction: Transaction) throws -> String {
        _ = try transaction.namedTable(className)
        do throws(QueryError) {
            let predicate = try transaction.bound(selection.predicate, to: className)
            return transaction.explain(className, matching: predicate)
        } catch {
            throw FileFailure("\(error)")
        }
    }
}
