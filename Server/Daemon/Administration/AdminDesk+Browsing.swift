import CausewayAdmin
import CausewayBrowsing
import CausewayDataAPI
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded

// The databases of the server, for those who look at objects.

extension AdminDesk: BrowsedPlace {
    func use<Value: Sendable>(
        _ name: String, _ body: (any BrowsedDatabase) async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        try await use(name) { (tenant: Tenant) throws(AdminError) in try await body(BrowsedTenant(tenant: tenant)) }
    }

    /// Who has made what the history says that administrators did. No user of a token or an account should be called so.
    static let editor = "(administrator)"

    /// Makes a change that an administrator asks for.
    func edit(_ name: String, _ edit: ObjectEdit) async throws(AdminError) -> HTTPAnswer {
        try await use(name) { (tenant: Tenant) throws(AdminError) in
            do throws(APIError) {
                return try await tenant.api.change(
                    edit.kind.call, edit.className, key: edit.key, edit.request, by: Self.editor)
            } catch {
                throw AdminError(error)
            }
        }
    }
}

extension ObjectEdit.Kind {
    fileprivate var call: APICall.Name {
        switch self {
        case .create: .createObject
        case .patch: .patchObject
        case .delete: .deleteObject
        }
    }
}

/// A database, as those look at it who look at objects. Pieces of their work have a queue of their own.
struct BrowsedTenant: BrowsedDatabase {
    let tenant: Tenant

    var searches: Searches { tenant.searches }
    var searchBounds: ObjectSearch.Bounds { .init(time: .seconds(5)) }

    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await tenant.browsing.runFreely(body)
    }

    func state() throws(AdminError) -> BrowsedState {
        do throws(StoreFailure) {
            let (snapshot, rows) = try tenant.store.browsed()
            return BrowsedState(version: snapshot.version.rawValue, rows) { object, columns, json throws(AdminError) in
                guard let number = snapshot.classNumber(object.table.name) else { return json.null() }
                do throws(APIError) {
                    try ObjectWriter(snapshot, under: nil, columns: columns)
                        .write(Row(number, object.key), to: &json)
                } catch {
                    throw AdminError(error)
                }
            }
        } catch {
            throw AdminError(error)
        }
    }
}

extension AdminError {
    /// What the data API says of a change.
    init(_ error: APIError) {
        let reasons = error.refusals.prefix(Self.reasonsMax).map(\.message)
            .filter { $0 != error.message }
        self.init(
            Code(rawValue: error.code.rawValue) ?? Self.code(of: error.code),
            ([error.message] + reasons).joined(separator: " "))
    }

    /// How many refused operations of one change are explained.
    private static let reasonsMax = 3

    /// Of codes that only the data API has.
    private static func code(of code: APIError.Code) -> Code {
        switch code {
        case .bodyTooLarge, .idempotencyKeyReused: .requestInvalid
        case .tooManyRequests: .serverBusy
        case .permissionDenied: .operationInvalid
        default: .serverFault
        }
    }
}
