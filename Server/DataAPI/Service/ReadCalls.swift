import CausewayJSON
import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayStore
import CausewaySubscriptions

/// Answers the requests that change nothing.
struct ReadCalls: Sendable {
    let conversations: Conversations
    let caller: KnownCaller
    let limits: APILimits

    private var user: String { caller.user.string }
    private var permissions: Permissions? { caller.access?.permissions() }

    func schema() async throws(APIError) -> HTTPAnswer {
        try await conversations.piece(for: user) { snapshot throws(APIError) in .json(snapshot.schema.document) }
    }

    func object(_ route: APIRoute) async throws(APIError) -> APIAnswer {
        let permissions = permissions
        return try await conversations.piece(for: user) { snapshot throws(APIError) in
            let (number, classSchema) = try snapshot.apiClass(route.className)
            let columns = try Self.columns(route, classSchema)
            guard let row = try Self.row(route.key, number, classSchema, snapshot, permissions) else {
                throw .objectUnknown(classSchema.name)
            }
            var writer = JSONWriter()
            try ObjectWriter(snapshot, under: permissions, columns: columns).write(row, to: &writer)
            var answer = HTTPAnswer.json(writer.bytes)
            // A part of an object says nothing of the rest.
            if columns == nil { answer.headers.append(.init("etag", ObjectTag.text(of: writer.bytes))) }
            return APIAnswer(answer, objectsRead: 1)
        }
    }

    func list(_ route: APIRoute) async throws(APIError) -> APIAnswer {
        let (permissions, limits) = (permissions, limits)
        let page = try await conversations.piece(for: user) { snapshot throws(APIError) in
            try ListPage(snapshot, route, under: permissions, limits)
        }
        while true {
            let isDone = try await conversations.piece(for: user, on: page) { page, end throws(APIError) in
                try page.step(until: end)
            }
            if isDone { return page.answer }
        }
    }

    private static func row(
        _ text: String, _ classNumber: Int, _ classSchema: ClassSchema, _ snapshot: any StoreSnapshot,
        _ permissions: Permissions?
    ) throws(APIError) -> Row? {
        guard let column = classSchema.primaryKeyIndex,
            let key = ValueReader.key(pathText: text, classSchema.properties[column])
        else { return nil }
        guard let row = snapshot.row(ObjectName(classNumber, key)) else { return nil }
        do throws(StoreFailure) {
            return try snapshot.mayRead(row, under: permissions) ? row : nil
        } catch {
            throw APIError(error)
        }
    }

    /// The properties that `fields` names; nil for all.
    static func columns(_ route: APIRoute, _ classSchema: ClassSchema) throws(APIError) -> Set<Int>? {
        guard let text = route.parameters["fields"] else { return nil }
        var columns: Set<Int> = []
        for name in text.split(separator: ",") { columns.insert(try classSchema.column(String(name))) }
        return columns
    }
}

extension Conversations {
    /// A piece of a request on the newest state.
    ///
    /// - Parameter user: whose time it is.
    func piece<Value: Sendable>(
        for user: String, _ body: @escaping @Sendable (any StoreSnapshot) throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        try await result(for: user) { [self] () throws(StoreFailure) in
            let snapshot = try snapshot()
            return Result { () throws(APIError) in try body(snapshot) }
        }
    }

    /// The next piece of a request that takes several.
    func piece<Work: Sendable, Value: Sendable>(
        for user: String, on work: Work, _ body: @escaping @Sendable (Work, StepEnd) throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        try await result(for: user) { [self] () throws(StoreFailure) in
            Result { () throws(APIError) in try body(work, callStepEnd()) }
        }
    }

    private func result<Value: Sendable>(
        for user: String, _ body: @escaping @Sendable () throws(StoreFailure) -> Result<Value, APIError>
    ) async throws(APIError) -> Value {
        let result: Result<Value, APIError>
        do throws(StoreFailure) {
            result = try await work(for: user, body)
        } catch {
            throw APIError(error)
        }
        return try result.get()
    }
}
