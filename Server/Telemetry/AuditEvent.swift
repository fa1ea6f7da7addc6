import CausewayJSON

/// An event of the audit log: who did what to whom, from where, and whether it was permitted. `AUDIT.md` documents each.
package struct AuditEvent: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case serverStarted
        case serverEnded
        case configurationReloaded
        case configurationRefused
        case certificateReplaced
        case tokenKeysReplaced
        case adminTokenReplaced
        case permissionsReplaced
        case adminRefused
        case adminCalled
        case databaseAdded
        case databaseDropped
        case shutOut
        case letIn
        case clientForgotten
        case tokenRefused
        case loginSucceeded
        case loginRefused
        case accountChanged
        case accountRefused
        case schemaExtended
        case schemaDropped
        case schemaConverted
        case journalLimitsTaken
        case generationSwitchedOn
        case operationsRefused
    }

    package var kind: Kind
    /// The database that it is about; nil for the server as a whole.
    package var database: String?
    /// Who did it, as far as it is known: a user, or `admin`.
    package var user: String?
    /// From where.
    package var address: String?
    /// What it was done to or with: a call, a route, a class.
    package var subject: String?
    /// Why it was refused: a code.
    package var code: String?
    /// How many events of the kind this line stands for, if more than one.
    package var count: Int?

    package init(
        _ kind: Kind, database: String? = nil, user: String? = nil, address: String? = nil, subject: String? = nil,
        code: String? = nil, count: Int? = nil
    ) {
        self.kind = kind
        self.database = database
        self.user = user
        self.address = address
        self.subject = subject
        self.code = code
        self.count = count
    }

    /// Texts come from outside, and a line has a bound.
    package static let textBytesMax = 512

    /// One JSON object, without a newline.
    ///
    /// - Parameter time: milliseconds since 1970.
    package func line(at time: UInt64) -> String {
        var fields = ["\"time\":\(time)", "\"event\":\(JSONText.quoted(kind.rawValue))"]
        for (name, text) in [
            ("database", database), ("user", user), ("address", address), ("subject", subject), ("code", code),
        ] {
            guard let text else { continue }
            let bounded = String(decoding: text.utf8.prefix(Self.textBytesMax), as: UTF8.self)
            fields.append("\(JSONText.quoted(name)):\(JSONText.quoted(bounded))")
        }
        if let count { fields.append("\"count\":\(count)") }
        return "{" + fields.joined(separator: ",") + "}"
    }
}
