import CausewayAdmin
import CausewayBrowsing
package import CausewayModel
package import CausewayObjectStore
import CausewayQuery

/// A query of one class, in the text of Realm's query language: `age > 2 SORT(name ASC) LIMIT(10)`.
package struct ObjectQuery {
    package let className: String
    private let text: String

    package init(_ className: String, _ text: String) throws {
        self.className = className
        self.text = text
        do throws(QueryError) {
            _ = try ObjectSearch.selection(text)
        } catch {
            throw FileFailure("\(error)")
        }
    }

    /// The rows of the answer, in its order.
    package func rows(in transaction: Transaction) throws -> [ObjectKey] {
        let search = try search(in: transaction)
        do throws(AdminError) {
            return try search.all()
        } catch {
            throw FileFailure(error.message)
        }
    }

    /// How the query is answered: which index, which scans, and what comes after.
    package func explanation(in transaction: Transaction) throws -> String {
        try search(in: transaction).explanation
    }

    private func search(in transaction: Transaction) throws -> ObjectSearch {
        let table = try transaction.namedTable(className)
        do throws(AdminError) {
            return try ObjectSearch(text, order: nil, of: table, in: transaction)
        } catch {
            throw FileFailure(error.message)
        }
    }
}
