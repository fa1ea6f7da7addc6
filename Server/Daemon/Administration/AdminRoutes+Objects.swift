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
            "GET", "/admin/v1/databases/{database}/objects/{class}/{key}/history",
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
            let page = HistoryPage(
                className: request["class"], key: request["key"],
                place: try Self.place(request),
                count: request.number("limit") ?? HistoryPage.countStandard)
            return try await desk.use(request["database"]) { (tenant: Tenant) throws(AdminError) in
                try await page.answer(from: tenant)
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
private struct HistoryPage: Sendable {
    let className: String
    let key: String
    let place: ObjectHistory.Place?
    let count: Int

    static let countStandard = 20
    static let countMax = 100
    /// A page is written up to the event with which it gets as large as this.
    static let bytesMax = 8 << 20

    func answer(from tenant: Tenant) async throws(AdminError) -> HTTPAnswer {
        let conversations = tenant.conversations
        do throws(StoreFailure) {
            let history = try await conversations.work(for: nil) { () throws(StoreFailure) in
                let snapshot = try conversations.snapshot()
                return try name(in: snapshot).map {
                    ObjectHistory(of: $0, in: snapshot, from: place, countMax: count)
                }
            }
            guard let history else { throw StoreFailure(.objectUnknown, unknown) }
            while true {
                let isDone = try await conversations.work(for: nil) { () throws(StoreFailure) in
                    try history.step(until: conversations.callStepEnd())
                }
                if isDone { return Self.answer(history) }
            }
        } catch {
            throw AdminError(ofLooking: error)
        }
    }

    private var unknown: String {
        "There is no class “\(className.prefix(80))” whose objects have such keys. Correct the path."
    }

    private func name(in snapshot: any StoreSnapshot) throws(StoreFailure) -> ObjectName? {
        guard let number = snapshot.classNumber(className), let schema = snapshot.schema[className],
            schema.kind == .object, let column = schema.primaryKeyIndex,
            let key = ValueReader.key(pathText: key, schema.properties[column])
        else { return nil }
        return ObjectName(number, key)
    }

    private static func answer(_ history: ObjectHistory) -> HTTPAnswer {
        var next = history.next?.text
        return .json { json in
            json.object { json in
                json.name("events")
                json.array { list in
                    for event in history.events {
                        event.append(to: &list)
                        guard list.bytes.count < bytesMax else {
                            next = history.place(behind: event).text
                            break
                        }
                    }
                }
                json.field("next", ifAny: next)
                json.field("oldest", history.oldest.rawValue)
            }
        }
    }
}

extension AdminError {
    fileprivate init(ofLooking failure: StoreFailure) {
        switch failure.code {
        case .interrupted: self.init(.tooCostly, failure.message)
        case .objectUnknown: self.init(.objectUnknown, failure.message)
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
