import CausewayJSON
import CausewayHTTP
import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayWire

/// Answers the requests that change something.
struct WriteCalls: Sendable {
    let conversations: Conversations
    let caller: KnownCaller
    let limits: APILimits

    func write(_ request: HTTPRequest, _ route: APIRoute) async throws(APIError) -> HTTPAnswer {
        let key = try idempotencyKey(request.head)
        let user = caller.user.string
        // Before it is read: a body that is no good costs as much.
        conversations.rates.charge(
            .init(.kilobytesPerSecondOfUser, of: user, request.body.count),
            .init(.kilobytesPerSecondOfDatabase, request.body.count))
        let body = try Self.json(request, route.call)
        let writes = try Self.writes(body, request.head, route)
        let requested = Requested(
            writes: writes, isTransaction: route.call.name == .commitTransaction,
            key: key.map { CallKey(user: user, key: $0) }, fingerprint: Self.fingerprint(request))
        let client: CallClient
        do throws(StoreFailure) {
            client = try await conversations.callClient(of: user)
        } catch {
            throw APIError(error)
        }
        do throws(APIError) {
            return try await commit(requested, as: client)
        } catch {
            throw error.naming(writes)
        }
    }

    private func commit(_ requested: Requested, as client: CallClient) async throws(APIError) -> HTTPAnswer {
        var attempt = 1
        while true {
            switch try await plan(requested, client) {
            case .done(let receipt): return WriteAnswer.answer(receipt.answer, receipt.version)
            case .changes(let changes):
                if let answer = try await apply(changes, requested, client, isLast: attempt >= limits.attempts) {
                    return answer
                }
            }
            attempt += 1
        }
    }

    private struct Requested: Sendable {
        var writes: [Write]
        var isTransaction: Bool
        var key: CallKey?
        var fingerprint: UInt64
    }

    private enum Planned: Sendable {
        /// It was committed before.
        case done(CallReceipt)
        case changes(Changes)
    }

    private struct Changes: Sendable {
        var base: ServerVersion
        var operations: [Operation]
        var origins: [Int]
        var terms: CallTerms
        var answer: [UInt8]
    }

    // MARK: - The two halves

    private func plan(_ requested: Requested, _ client: CallClient) async throws(APIError) -> Planned {
        let permissions = caller.access?.permissions()
        return try await conversations.piece(for: caller.user.string) { snapshot throws(APIError) in
            if let key = requested.key, let receipt = try Self.receipt(key, snapshot) {
                guard receipt.fingerprint == requested.fingerprint else { throw APIError(StoreFailure.callKeyReused) }
                return .done(receipt)
            }
            var plan = ChangePlan(snapshot, under: permissions, as: client)
            for (index, write) in requested.writes.enumerated() {
                do throws(APIError) {
                    try plan.add(write)
                } catch {
                    throw requested.isTransaction ? error.of(operation: index) : error
                }
            }
            let answer = WriteAnswer.encoded(plan.results, isTransaction: requested.isTransaction)
            let receipt = requested.key.map {
                CallTerms.Receipt(key: $0, fingerprint: requested.fingerprint, answer: answer)
            }
            return .changes(
                Changes(
                    base: snapshot.version, operations: plan.operations, origins: plan.origins,
                    terms: CallTerms(expectations: plan.expectations, receipt: receipt), answer: answer))
        }
    }

    private static func receipt(_ key: CallKey, _ snapshot: any StoreSnapshot) throws(APIError) -> CallReceipt? {
        do throws(StoreFailure) {
            return try snapshot.receipt(key)
        } catch {
            throw APIError(error)
        }
    }

    /// Nil when others have changed the same objects meanwhile, and it is not the last attempt.
    private func apply(
        _ changes: Changes, _ requested: Requested, _ client: CallClient, isLast: Bool
    ) async throws(APIError) -> HTTPAnswer? {
        // Nothing to change: there is no version of its own. A key is kept nevertheless, with the answer.
        if changes.operations.isEmpty, requested.key == nil { return WriteAnswer.answer(changes.answer, changes.base) }
        let outcome: CommitOutcome
        do throws(StoreFailure) {
            outcome = try await conversations.apply(
                changes.operations, base: changes.base, terms: changes.terms, as: client, by: caller)
        } catch {
            throw APIError(error)
        }
        if let receipt = outcome.receipt { return WriteAnswer.answer(receipt.answer, receipt.version) }
        guard let failure = outcome.failure else { return WriteAnswer.answer(changes.answer, outcome.version) }
        if failure.code == .conflict, !isLast { return nil }
        throw APIError(failure, origins: changes.origins, isTransaction: requested.isTransaction)
    }

    // MARK: - The request

    private func idempotencyKey(_ head: HTTPHead) throws(APIError) -> String? {
        guard let key = head.header("idempotency-key") else { return nil }
        guard (1...limits.idempotencyKeyBytes).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw APIError(
                .requestInvalid,
                "Idempotency-Key has 1 to \(limits.idempotencyKeyBytes) printable ASCII characters, for example a UUID."
            )
        }
        return key
    }

    private static func json(_ request: HTTPRequest, _ call: APICall) throws(APIError) -> JSON? {
        guard call.body != nil else { return nil }
        do throws(JSONReader.Failure) {
            return try JSONReader.read(request.body)
        } catch {
            throw APIError(.requestInvalid, "The body is not JSON: at byte \(error.offset), \(error.reason).")
        }
    }

    private static func writes(_ body: JSON?, _ head: HTTPHead, _ route: APIRoute) throws(APIError) -> [Write] {
        let kind: Write.Kind
        switch route.call.name {
        case .commitTransaction: return try Write.transaction(body ?? .null)
        case .createObject: kind = .create
        case .putObject: kind = .put
        case .patchObject: kind = .patch
        default: kind = .delete
        }
        var write = Write(kind: kind, className: route.className)
        if kind != .create {
            write.key = .path(route.key)
            write.expected = head.header("if-match")
        }
        if let body {
            guard let members = body.members else {
                throw APIError(.requestInvalid, "The body is \(body.kind). Expected is an object with the properties.")
            }
            write.content = members
        }
        return [write]
    }

    /// Tells requests apart that use one key.
    private static func fingerprint(_ request: HTTPRequest) -> UInt64 {
        var fingerprint = Fingerprint()
        for text in [request.head.method, request.head.header("if-match") ?? ""] + request.head.path {
            fingerprint.add(text)
        }
        fingerprint.add(String(decoding: request.body, as: UTF8.self))
        return fingerprint.value
    }
}

extension APIError {
    /// What the record has refused: each write once for each reason.
    fileprivate init(_ failure: StoreFailure, origins: [Int], isTransaction: Bool) {
        self.init(failure)
        for refused in failure.refusals where origins.indices.contains(refused.operation) {
            let refusal = Refusal(
                operation: origins[refused.operation], code: Code(refused.failure.code),
                message: refused.failure.message)
            if !refusals.contains(refusal) { refusals.append(refusal) }
        }
        if isTransaction { operation = refusals.first?.operation }
    }
}
