import CausewayModel
package import CausewayOperations
import SwiftProtobuf

/// An upload or a one-way batch.
package protocol ChangesMessage: WireMessage {
    /// Whether decoded creates stay in columns.
    static var keepsColumns: Bool { get }
}

extension UploadRequest: ChangesMessage {
    package static var keepsColumns: Bool { true }

    package var payload: [UInt8] {
        let envelope = EnvelopeUploadRequest.with {
            $0.session = session
            $0.opening = changesets.first?.opening ?? 0
            $0.run = changesets.first?.run ?? 0
        }
        return Payload.encode(envelope, body: Changeset.encode(changesets))
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        try self.init(payload: payload, limits: .standard)
    }

    package init(payload: [UInt8], limits: FrameLimits) throws(SyncFailure) {
        let payload = try Payload(payload)
        let envelope = try payload.envelope(EnvelopeUploadRequest.self)
        self.init(session: envelope.session, changesets: try .init(payload, limits, Self.keepsColumns))
        for index in changesets.indices {
            changesets[index].opening = envelope.opening
            changesets[index].run = envelope.run
        }
    }
}

extension UploadAnswer: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeUploadAnswer.with {
                $0.committed = committed
                if let failure { $0.failure = EnvelopeFailure(failure) }
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeUploadAnswer.self)
        self.init(
            committed: try Bounds.checked(sequence: envelope.committed),
            failure: envelope.hasFailure ? SyncFailure(envelope.failure) : nil)
    }
}

/// Entries are sent as changesets without a stamp, because nothing merges with them.
extension IngestBatch: ChangesMessage {
    package static var keepsColumns: Bool { false }

    package var payload: [UInt8] {
        let envelope = EnvelopeIngestRequest.with {
            $0.client = client.rawValue
            $0.first = first
            $0.opening = opening
        }
        let changesets = entries.enumerated().map { offset, operations in
            Changeset(
                client: client, sequence: first &+ UInt64(offset), stamp: .zero, base: .zero, operations: operations)
        }
        return Payload.encode(envelope, body: Changeset.encode(changesets))
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        try self.init(payload: payload, limits: .standard)
    }

    package init(payload: [UInt8], limits: FrameLimits) throws(SyncFailure) {
        let payload = try Payload(payload)
        let envelope = try payload.envelope(EnvelopeIngestRequest.self)
        let changesets = try [Changeset](payload, limits, Self.keepsColumns)
        for (offset, changeset) in changesets.enumerated()
        where changeset.client.rawValue != envelope.client
            || changeset.sequence != envelope.first.addingReportingOverflow(UInt64(offset)).partialValue
        {
            throw .malformed("entry \(changeset.sequence) of a one-way batch is not the one its place says")
        }
        guard !envelope.first.addingReportingOverflow(UInt64(changesets.count)).overflow else {
            throw .malformed("the entries of a one-way batch are numbered beyond 64 bits")
        }
        self.init(
            client: ClientID(envelope.client), first: envelope.first, entries: changesets.map(\.operations),
            opening: envelope.opening)
    }
}

extension IngestAnswer: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(EnvelopeIngestAnswer.with { $0.acknowledged = acknowledged })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeIngestAnswer.self)
        self.init(acknowledged: try Bounds.checked(sequence: envelope.acknowledged))
    }
}

extension [Changeset] {
    fileprivate init(_ payload: Payload, _ limits: FrameLimits, _ keepsColumns: Bool) throws(SyncFailure) {
        self = try SyncFailure.ofChanges { () throws(EncodingError) in
            try Changeset.decode(
                payload.bytes, from: payload.bodyStart, weightMax: Bounds.weight, operationsMax: limits.operations,
                keepsColumns: keepsColumns)
        }
    }
}

extension OperationCounts {
    /// Counts the operations of an upload or a one-way batch without decoding them.
    package init(
        of type: (some ChangesMessage).Type, payload: [UInt8], limits: FrameLimits
    ) throws(SyncFailure) {
        let payload = try Payload(payload)
        self = try SyncFailure.ofChanges { () throws(EncodingError) in
            try Changeset.count(
                payload.bytes, from: payload.bodyStart, weightMax: Bounds.weight, operationsMax: limits.operations,
                keepsColumns: type.keepsColumns)
        }
    }

    /// About the bytes of memory that the changes take once they are decoded.
    package var sizeBytes: Int { weight * Bounds.bytesOfWeight }
}

extension SyncFailure {
    fileprivate static func ofChanges<Read>(_ read: () throws(EncodingError) -> Read) throws(SyncFailure) -> Read {
        do {
            return try read()
        } catch  where error.code == .tooMuch {
            throw SyncFailure(.messageMalformed, error.message)
        } catch {
            throw .malformed("\(error)")
        }
    }
}
