/// A view change that many devices are told alike: encoded and compressed once. Only the checkpoint is each device's own.
package struct SharedChanges: Sendable {
    /// Without objects.
    private let head: ViewChunk
    private let body: Body

    private enum Body {
        /// Sent in one frame with the envelope.
        case small([UInt8])
        /// The last frames of the message.
        case frames([UInt8])
    }

    /// - Parameter chunk: the whole change, without a checkpoint.
    package init(_ chunk: ViewChunk) {
        head = ViewChunk(objectsTotal: chunk.objectsTotal, objectsDone: chunk.objectsDone)
        let bytes = chunk.body
        body = bytes.count >= Frame.compressedFromBytes ? .frames(Frame.encode(bytes)) : .small(bytes)
    }

    /// The message for one device, in its frames.
    package func frames(to checkpoint: Checkpoint) -> [UInt8] {
        var head = head
        head.checkpoint = checkpoint
        return switch body {
        case .small(let bytes): Frame.encode(Payload.encode(head.envelope, body: bytes))
        case .frames(let frames): Frame.encode(beginning: Payload.encode(head.envelope)) + frames
        }
    }
}
