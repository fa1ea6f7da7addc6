import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayStore
import CausewayStoreEmbedded

// Users: how much each of them takes of the database.

extension AdminRoutes {
    mutating func addUsers(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/users",
                    AdminDescription(
                        "listUsers", "How many objects that exist each user created, those with most first.",
                        parameters: AdminPage.parameters, answer: "Users", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    let page = AdminPage(request)
                    let after = try page.afterUser()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        let store = tenant.store
                        let (users, next) = try await desk.work(tenant) { () throws(StoreFailure) in
                            try store.objectsOfUsers(after: after, countMax: page.limit)
                        }
                        return page.answer("users", (users, next?.position)) { user, json in
                            json.object { json in
                                json.field("user", user.user)
                                json.field("objects", user.objects)
                            }
                        }
                    }
                }
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            Users:
              type: object
              required: [users]
              additionalProperties: false
              properties:
                users:
                  type: array
                  items:
                    type: object
                    required: [user, objects]
                    additionalProperties: false
                    properties:
                      user: {type: string}
                      objects: {type: integer}
                next: {type: string}

        """
}

extension ObjectsOfUser {
    /// Where the page behind it begins. Its number stands in it, because users are in the order of their numbers.
    fileprivate var position: String { "\(objects):\(user)" }

    fileprivate init?(position: String) {
        let parts = position.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let objects = Int(parts[0]) else { return nil }
        self.init(user: String(parts[1]), objects: objects)
    }
}

extension AdminPage {
    /// Where the page begins, in the list of users.
    fileprivate func afterUser() throws(AdminError) -> ObjectsOfUser? {
        guard let after else { return nil }
        guard let user = ObjectsOfUser(position: after) else {
            throw AdminError(.requestInvalid, "after is no place in this list. Take it from next of the page before.")
        }
        return user
    }
}
