import CausewayModel
import CausewaySession
import Synchronization

/// How long the callers of running downloads are known.
///
/// A download lasts longer than a token. Every request of its session with a newer token extends the download, so that
/// a device that gets a token in time keeps its session.
final class Tenures: Sendable {
    fileprivate struct Session: Hashable {
        var database: String
        var id: UInt64
        /// Requests of another user for the session extend nothing.
        var user: ExactString
    }

    private let running = Mutex<[Session: Tenure]>([:])

    /// Begins a download. If a session has several, its other requests extend the first.
    func begin(_ session: UInt64, _ request: Desk.Admitted) -> Tenure {
        let tenure = Tenure(Session(session, request), expires: request.caller.expires)
        running.withLock { running in
            if running[tenure.session] == nil { running[tenure.session] = tenure }
        }
        return tenure
    }

    /// Extends the download of a session when a request of the session comes.
    func extend(_ session: UInt64, _ request: Desk.Admitted) {
        running.withLock { $0[Session(session, request)] }?.extend(to: request.caller.expires)
    }

    func end(_ tenure: Tenure) {
        running.withLock { running in
            if running[tenure.session] === tenure { running[tenure.session] = nil }
        }
    }
}

extension Tenures.Session {
    fileprivate init(_ id: UInt64, _ request: Desk.Admitted) {
        self.init(database: request.database, id: id, user: request.caller.user)
    }
}

/// Until when the caller of one download is known: the latest expiry of the tokens that they have shown.
final class Tenure: Sendable {
    fileprivate let session: Tenures.Session
    private let end: Atomic<UInt64>

    fileprivate init(_ session: Tenures.Session, expires: UInt64) {
        self.session = session
        end = Atomic(expires)
    }

    /// Milliseconds since 1970.
    var expires: UInt64 { end.load(ordering: .relaxed) }

    fileprivate func extend(to expires: UInt64) {
        end.max(expires, ordering: .relaxed)
    }
}
