package import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayOpenAPI

// Looking at objects: the same calls for a server's databases and for a file.

extension AdminRoutes {
    package mutating func addBrowsing(of place: some BrowsedPlace) {
        add(
            [Self.list(of: place), Self.plan(of: place), Self.object(of: place), Self.links(of: place)],
            schemas: BrowsingSchemas.text)
    }

    static let ofClass = "/admin/v1/databases/{database}/objects/{class}"
    /// The path of one object; what there is of it lies below.
    package static let ofObject = ofClass + "/{key}"
    private static let whereParameter = DescribedParameter(
        "where", .text, "A condition in the query language. SORT, DISTINCT and LIMIT may follow it.")
    private static let sortParameter = DescribedParameter(
        "sort", .text, "Properties, separated by commas; a minus puts the greatest first.")

    private static func list(of place: some BrowsedPlace) -> AdminRoute {
        let parameters = [
            whereParameter, sortParameter,
            DescribedParameter(
                "from", .number(0...ObjectSearch.foundMax, standard: 0),
                "The place in the result of the first object that is answered."),
            DescribedParameter(
                "limit", .number(1...AdminPage.limitMax, standard: AdminPage.limitStandard),
                "How many objects are answered at most."),
            DescribedParameter("fields", .text, "The properties to answer, separated by commas."),
        ]
        return AdminRoute(
            "GET", ofClass,
            AdminDescription(
                "listObjects", "The objects of a class that a query selects: a part of the result.",
                parameters: parameters, answer: "FoundObjects", errors: BrowsingSchemas.searchErrors)
        ) { request throws(AdminError) in
            let wish = FoundPage.Wish(
                className: request["class"], text: request.text("where"), order: request.text("sort"),
                from: request.number("from") ?? 0, limit: request.number("limit") ?? AdminPage.limitStandard,
                fields: request.text("fields"))
            return try await place.use(request["database"]) { database throws(AdminError) in
                try await database.page(wish)
            }
        }
    }

    private static func plan(of place: some BrowsedPlace) -> AdminRoute {
        AdminRoute(
            "GET", "/admin/v1/databases/{database}/plan/{class}",
            AdminDescription(
                "explainQuery", "How a query is answered: by which index, with which scans.",
                parameters: [whereParameter, sortParameter], answer: "QueryPlan", errors: BrowsingSchemas.searchErrors)
        ) { request throws(AdminError) in
            let (name, text, order) = (request["class"], request.text("where"), request.text("sort"))
            return try await place.use(request["database"]) { database throws(AdminError) in
                try await database.look { state throws(AdminError) in
                    let search = try state.search(name, text, order: order)
                    return .json { json in json.object { $0.field("plan", search.explanation) } }
                }
            }
        }
    }

    private static func object(of place: some BrowsedPlace) -> AdminRoute {
        AdminRoute(
            "GET", ofObject,
            AdminDescription(
                "readObject", "One object.", answer: "Object", answerHeaders: [BrowsingSchemas.etag],
                errors: BrowsingSchemas.objectErrors)
        ) { request throws(AdminError) in
            let (name, key) = (request["class"], request["key"])
            return try await place.use(request["database"]) { database throws(AdminError) in
                try await database.look { state throws(AdminError) in
                    var json = JSONWriter()
                    try state.write(state.object(name, key), to: &json)
                    var answer = HTTPAnswer.json(json.bytes)
                    answer.headers.append(.init("etag", ObjectTag.text(of: json.bytes)))
                    return answer
                }
            }
        }
    }

    private static func links(of place: some BrowsedPlace) -> AdminRoute {
        AdminRoute(
            "GET", ofObject + "/links",
            AdminDescription(
                "listLinks", "The objects that link to an object, by the property that does.", answer: "IncomingLinks",
                errors: BrowsingSchemas.objectErrors)
        ) { request throws(AdminError) in
            let (name, key) = (request["class"], request["key"])
            return try await place.use(request["database"]) { database throws(AdminError) in
                try await database.look { state throws(AdminError) in
                    let object = try state.object(name, key)
                    let links = object.table.incomingLinks(to: object.key, firstMax: LinkHolder.shownMax)
                    try state.checkDamage()
                    return .json { json in
                        json.object { json in
                            json.name("links")
                            json.array(links) { $0.write(to: &$1) }
                        }
                    }
                }
            }
        }
    }
}

extension BrowsedDatabase {
    fileprivate func page(_ wish: FoundPage.Wish) async throws(AdminError) -> HTTPAnswer {
        let (searches, bounds) = (searches, searchBounds)
        let page = try await look { state throws(AdminError) in try FoundPage(state, wish, searches, bounds) }
        while true {
            let isDone = try await piece { isOver throws(AdminError) in try page.go(until: isOver) }
            if isDone { return page.answer }
        }
    }
}
