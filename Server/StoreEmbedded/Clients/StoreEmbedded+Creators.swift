import CausewayModel
import CausewayObjectStore
package import CausewayStore

/// How many objects that exist the clients of a user created; see `CreatorTree`.
package struct ObjectsOfUser: Hashable, Sendable {
    package var user: String
    package var objects: Int

    package init(user: String, objects: Int) {
        self.user = user
        self.objects = objects
    }

    /// Who has most comes first. Users with as many are in the order of their names' bytes.
    fileprivate func isBefore(_ other: ObjectsOfUser) -> Bool {
        objects != other.objects ? objects > other.objects : user.precedes(other.user)
    }
}

extension StoreEmbedded {
    /// Waits for no commit.
    package func objects(of user: String) throws(StoreFailure) -> Int {
        try read { CreatorTree(in: $0).objects(of: user) }
    }

    /// The users who have objects, those with most first. Waits for no commit.
    ///
    /// - Parameter last: behind whom the page begins, whether or not that is still so.
    /// - Returns: the users, and the one behind whom the next page begins; nil behind the last.
    /// - Complexity: O(n) in the number of users, and `countMax` of them in memory.
    package func objectsOfUsers(
        after last: ObjectsOfUser?, countMax: Int
    ) throws(StoreFailure) -> (users: [ObjectsOfUser], next: ObjectsOfUser?) {
        var found: [ObjectsOfUser] = []
        var isMore = false
        try read { transaction in
            CreatorTree(in: transaction).forEach { user, objects in
                let user = ObjectsOfUser(user: user, objects: objects)
                if let last, !last.isBefore(user) { return }
                found.append(user)
                // Sorting now and then costs less than a place for each.
                guard found.count > 2 * countMax else { return }
                found.sort { $0.isBefore($1) }
                found.removeLast(found.count - countMax)
                isMore = true
            }
        }
        found.sort { $0.isBefore($1) }
        isMore = isMore || found.count > countMax
        let users = Array(found.prefix(countMax))
        return (users, isMore ? users.last : nil)
    }
}
