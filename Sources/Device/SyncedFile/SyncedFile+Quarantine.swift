package import CausewayOpLog
import CausewaySync
import CausewayWire

// What the server refused.

extension SyncedFile {
    /// Moves what the server refuses for good to the quarantine.
    func setAside(_ refused: Conversation.Refused) throws -> [QuarantinedChange] {
        try writing { transaction in
            let now = wallClock
            switch refused {
            case .changeset(let number, let failure):
                return try replica.setAside(
                    number, code: failure.code.rawValue, reason: failure.message, in: transaction, now: now)
            case .oneWay(let number, let failure):
                return try replica.setAsideOneWay(
                    number, code: failure.code.rawValue, reason: failure.message, in: transaction, now: now)
            case .oneWayOperations(let refusals):
                return try replica.setAsideOneWay(refusals, in: transaction, now: now)
            }
        }
    }

    package func quarantined() throws -> [QuarantinedChange] {
        try reading { try Replica.quarantined(in: $0) }
    }

    @discardableResult
    package func submitQuarantined(_ number: UInt64) throws -> Bool {
        try writing { try replica.submitQuarantined(number, in: $0, now: wallClock) }
    }

    /// Submits what was refused because the server lacked an object, if the objects have come.
    func submitAwaited() throws {
        let code = SyncFailure.Code.objectUnknown.rawValue
        for number in try reading({ try Replica.quarantined(withCode: code, becameApplicableIn: $0) }) {
            try submitQuarantined(number)
        }
    }

    package func dropQuarantined(_ number: UInt64) throws {
        try writing { Replica.dropQuarantined(number, in: $0) }
    }

    func refuseQueries(_ version: UInt64, _ message: String) throws {
        _ = try writing { try SubscriptionTree($0).refused(version, message) }
    }
}
