package import CausewayModel
package import CausewayStore
import CausewaySubscriptions
package import CausewayWire

/// What devices that are told alike have in common, beside their queries.
package struct SharedTerms: Hashable, Sendable {
    package let permissions: Permissions?
    package let tellsEdits: Bool
}

/// A change that many devices are told alike.
package struct SharedChange: Sendable {
    /// From this version to the start nothing concerned the devices.
    package let quietSince: ServerVersion
    package let start: ServerVersion
    package let version: ServerVersion
    package let incarnation: UInt64
    /// Nil where the change says nothing to a device.
    package let changes: SharedChanges?
}

extension DownloadConversation {
    /// The terms on which the device may be told what others are told, if it rests.
    package var sharedTerms: SharedTerms? {
        rest == nil || rest == .incomplete || isOut || needsDifference
            ? nil : SharedTerms(permissions: heldPermissions, tellsEdits: tellsEdits)
    }

    /// Whether a heartbeat is due and nothing else is to be done.
    ///
    /// - Returns: its frames, none if it is not due yet, and after how many milliseconds to look again; nil when there is something to do.
    mutating func beat(
        _ standing: AudienceTable.Standing, now: UInt64
    ) -> (frames: [UInt8], answer: UInt64)? {
        guard rest == .content, sharedTerms != nil, case .quiet = standing, hasRoom(for: Self.heartbeatBytesMax) else {
            return nil
        }
        _ = takeIn(standing, position)
        switch waitForHeartbeat(now) {
        case .wait(let milliseconds): return ([], milliseconds)
        case .send(let message):
            let frames = WireCodec.encode(message)
            noteOut(bytes: frames.count, now: now)
            return (frames, limits.heartbeatMilliseconds)
        default: return nil
        }
    }

    /// A heartbeat with a checkpoint.
    private static let heartbeatBytesMax = 256

    /// Takes over a change that others are told as well.
    ///
    /// - Returns: the frames to send, none for a change that says nothing; nil when the device has to be told by itself.
    package mutating func take(_ shared: SharedChange, epoch: UInt64, now: UInt64) -> [UInt8]? {
        guard sharedTerms != nil, position >= shared.quietSince, position <= shared.start else { return nil }
        guard let changes = shared.changes else {
            moveOn(to: shared.version, incarnation: shared.incarnation)
            return []
        }
        let checkpoint = Checkpoint(
            epoch: epoch, version: shared.version, querySet: held.version, acknowledged: told.acknowledged,
            incarnation: shared.incarnation, permissions: heldPermissions?.fingerprint ?? 0, schema: schemaFingerprint,
            opening: told.opening)
        let frames = changes.frames(to: checkpoint)
        guard hasRoom(for: frames.count) else { return nil }
        moveOn(to: shared.version, incarnation: shared.incarnation)
        noteTold(checkpoint)
        noteOut(bytes: frames.count, now: now)
        return frames
    }
}
