import CausewayHTTP
import CausewayModel

/// Told what happens at the data API. Called on the threads of requests: must be quick and must not block.
package protocol APIObserver: Sendable {
    func observe(_ event: APIEvent)
}

package struct NoAPIObserver: APIObserver {
    package init() {}
    package func observe(_ event: APIEvent) {}
}

package enum APIEvent: Hashable, Sendable {
    /// A request was refused before its body was read.
    case refused(APIFacts)
    /// A request was worked on and answered. An answer that then finds no memory to wait for its reader is told again, as
    /// refused.
    case answered(APIFacts, nanoseconds: UInt64)
}

package struct APIFacts: Hashable, Sendable {
    /// Nil where the path is that of no call.
    package var call: APICall.Name?
    /// As the path names it; there may be none of this name.
    package var database = ""
    package var address: String
    /// Nil where no good token was shown.
    package var user: String?
    /// Objects that the answer holds.
    package var objectsRead = 0
    /// Nil where nothing failed.
    package var failure: APIError?

    init(_ head: HTTPHead) {
        address = head.peer.group
    }

    mutating func note(_ route: APIRoute) {
        (call, database) = (route.call.name, route.database)
    }
}

/// Writes of one request that the permission rules refuse.
package struct DeniedWrites: Hashable, Sendable {
    package var className: String
    package var count: Int
}

extension APIError {
    /// The same, with the classes of the writes that the rules refuse.
    func naming(_ writes: [Write]) -> APIError {
        var named = self
        var denied = refusals.filter { $0.code == .permissionDenied }.map(\.operation)
        if denied.isEmpty, code == .permissionDenied { denied = [operation ?? 0] }
        for number in denied where writes.indices.contains(number) { named.deny(writes[number].className) }
        return named
    }

    private mutating func deny(_ className: String) {
        if let place = denied.lastIndex(where: { $0.className.isSame(as: className) }) {
            denied[place].count += 1
        } else if denied.count < Self.deniedClassesMax {
            denied.append(DeniedWrites(className: className, count: 1))
        } else {
            denied[denied.count - 1].count += 1
        }
    }

    /// Classes that are told apart in one request; the rest counts as the last of them.
    private static let deniedClassesMax = 16
}
