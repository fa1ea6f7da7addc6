package import CausewayModel

/// A user or a client whom the operator does not let into a database.
package struct ShutOut: Hashable, Sendable {
    /// One user, or one client.
    package enum Subject: Hashable, Sendable {
        case user(ExactString)
        case client(ClientID)
    }

    package var subject: Subject
    /// In milliseconds since 1970.
    package var since: UInt64
    /// What the operator has noted. Nobody else is told.
    package var note: String?

    package init(_ subject: Subject, since: UInt64, note: String? = nil) {
        self.subject = subject
        self.since = since
        self.note = note
    }

    /// How many users and clients of one database may be shut out.
    package static let countMax = 10_000

    /// Shut out once more, it stays so since then, and keeps its note where there is no other.
    package func after(_ before: ShutOut?) -> ShutOut {
        ShutOut(subject, since: before?.since ?? since, note: note ?? before?.note)
    }

    package static let tooMany = StoreFailure(
        .conflict,
        "\(countMax) users and clients are shut out already, and that is the most. Let some in again, or take their tokens at the "
            + "issuer.")
}
