import CausewayAdmin
import CausewayBrowsing
import CausewayEnvironment
import CausewayFeed
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayOpenAPI
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded

// The objects of a database, and what happened to each.

extension AdminRoutes {
    mutating func addObjects(_ desk: AdminDesk) {
        let about = About(
            kind: .server, version: Release.version, isWritable: true, hasHistory: true)
        add([about.route()], schemas: About.schemas)
        addBrowsing(of: desk)
        addEditing { database, edit throws(AdminError) in try await desk.edit(database, edit) }
        add([Self.history(desk)], schemas: HistorySchemas.text)
    }

    private static func history(_ desk: AdminDesk) -> AdminRoute {
        AdminRoute(
            "GET", ofObject + "/history",
            AdminDescription(
                "readHistory", "What happened to an object, the newest first.",
                parameters: [
                    DescribedParameter(
                        "limit", .number(1...HistoryPage.countMax, standard: HistoryPage.countStandard),
                        "How many events are answered at most."),
                    DescribedParameter(
                        "before", .text, "The value of next in the page before."),
                ], answer: "ObjectHistory",
                errors: [.databaseUnknown, .classUnknown, .objectUnknown, .tooCostly])
        ) { request throws(AdminError) in
            let wish = HistoryPage.Wish(
                className: request["class"], key: request["key"],
                place: try Self.place(request),
                count: request.number("limit") ?? HistoryPage.countStandard)
            return try await desk.use(request["database"]) { (tenant: Tenant) throws(AdminError) in
                try await HistoryPage.answer(wish, from: tenant)
            }
        }
    }

    private static func place(_ request: AdminRequest) throws(AdminError) -> ObjectHistory.Place? {
        guard let text = request.text("before") else { return nil }
        guard let place = ObjectHistory.Place(text) else {
            throw AdminError(.requestInvalid, "before is no value of next. Send what the page before has as next.")
        }
        return place
    }
}

/// A page of what happened to an object.
///
/// Unchecked: one piece of work at a time uses it.
private final class HistoryPage: @unchecked Sendable {
    private let history: ObjectHistory
    private var json = JSONWriter()

    static let countStandard = 20
    static let countMax = 100
    /// A page ends behind the event with which it gets as large as this.
    private static let bytesMax = 8 << 20

    /// What is asked for.
    struct Wish: Sendable {
        var className: String
        var key: String
        var place: ObjectHistory.Place?
        var count: Int
    }

    private init(_ wish: Wish, in snapshot: any StoreSnapshot) throws(AdminError) {
        guard let number = snapshot.classNumber(wish.className), let schema = snapshot.schema[wish.className],
            schema.kind == .object, let column = schema.primaryKeyIndex
        else {
            throw AdminError(
                .classUnknown,
                "There is no class “\(wish.className.prefix(80))” whose objects have a key. Correct the path.")
        }
        guard let key = ValueReader.key(pathText: wish.key, schema.properties[column]) else {
            throw AdminError(.objectUnknown, "This is no key of “\(wish.className)”. Correct the path.")
        }
        history = ObjectHistory(
            of: ObjectName(number, key), in: snapshot, from: wish.place, countMax: wish.count)
        json.open(UInt8(ascii: "{"))
        json.name("events")
        json.open(UInt8(ascii: "["))
    }

    static func answer(_ wish: Wish, from tenant: Tenant) async throws(AdminError) -> HTTPAnswer {
        let database = BrowsedTenant(tenant: tenant)
        let page = try await database.piece { _ throws(AdminError) in
            try HistoryPage(wish, in: Self.reporting { () throws(StoreFailure) in try tenant.store.snapshot() })
        }
        while true {
            let isDone = try await database.piece { _ throws(AdminError) in
                try reporting { () throws(StoreFailure) in try page.step() }
            }
            if isDone { return .json(page.json.bytes) }
        }
    }

    /// - Returns: whether the page is complete.
    private func step() throws(StoreFailure) -> Bool {
        let isDone = try history.step(until: StepEnd.ofClock()) { event in
            event.append(to: &json)
            return json.bytes.count < Self.bytesMax
        }
        guard isDone else { return false }
        json.close(UInt8(ascii: "]"))
        json.field("next", ifAny: history.next?.text)
        json.field("oldest", history.oldest.rawValue)
        json.close(UInt8(ascii: "}"))
        return true
    }

    private static func reporting<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(AdminError) -> Value {
        do throws(StoreFailure) {
            return try body()
        } catch {
            throw AdminError(ofLooking: error)
        }
    }
}

extension AdminError {
    fileprivate init(ofLooking failure: StoreFailure) {
        switch failure.code {
        case .interrupted: self.init(.tooCostly, failure.message)
        default: self.init(failure)
        }
    }
}

private enum HistorySchemas {
    static let text = """
            ObjectHistory:
              type: object
              required: [events, oldest]
              additionalProperties: false
              properties:
                events:
                  type: array
                  items:
                    type: object
                    required: [position, version, kind, class, key]
                    additionalProperties: false
                    properties:
                      position: {type: string}
                      version: {type: integer}
                      time: {type: string, format: date-time}
                      kind: {enum: [created, updated, deleted]}
                      class: {type: string}
                      key: {}
                      changed:
                        type: array
                        items: {type: string}
                      client: {type: string}
                      user: {type: string}
                      before: {$ref: '#/components/schemas/Object'}
                      after: {$ref: '#/components/schemas/Object'}
                next:
                  type: string
                  description: Send it as before to get what happened earlier. Missing where the history has no more.
                oldest:
                  type: integer
                  description: The oldest version of which the history tells.

        """
}
