import CausewayEnvironment
import CausewayModel
import CausewaySession
import CausewayWire
import Logging
import NIOCore
import NIOHTTP2
import Synchronization

/// A download under way.
struct OpenDownload {
    /// Nil when it could not begin.
    var cancel: DownloadCancellation?
    /// The sender that waits until the device has read more: at most one, because a sink has one user.
    var waiting: CheckedContinuation<Void, any Error>?
    var stalled: Scheduled<Void>?
    let reading: Reading
    let tenure: Tenure
    var expiry: Scheduled<Void>?
    var hasExpired = false
    /// The session ends.
    var isEnding = false
}

/// Whether a device reads its download, for other threads.
final class Reading: Sendable {
    private let isStalled = Atomic(false)

    var isReady: Bool { !isStalled.load(ordering: .acquiring) }

    func note(isReady: Bool) { isStalled.store(!isReady, ordering: .releasing) }
}

/// The device is gone, or does not read.
struct DownloadLost: Error {}

/// Carries one download's messages to its stream.
private struct Outlet: DownloadSink {
    let handler: NIOLoopBound<RequestHandler>
    let eventLoop: any EventLoop
    let reading: Reading

    /// Returns when the message is out, but for what one write may leave in the buffer: so nobody runs ahead of a slow
    /// device.
    func send(_ message: DownloadMessage) async throws -> Int {
        let frames = WireCodec.encode(message)
        try await withCheckedThrowingContinuation { continuation in
            eventLoop.execute { handler.value.write(frames, then: continuation) }
        }
        return frames.count
    }

    var outlet: DownloadOutlet? {
        DownloadOutlet(isReady: { [reading] in reading.isReady }) { [handler, eventLoop] in
            eventLoop.execute { handler.value.hurry() }
        } send: { [handler, eventLoop] frames in
            eventLoop.execute { handler.value.offer(frames) }
        }
    }
}

extension RequestHandler {
    /// Begins a download. The status is sent at once; every later error is told by an `end` message.
    func beginDownload(_ admitted: Desk.Admitted, body: [UInt8]) {
        guard let context else { return }
        let request: DownloadRequest
        do throws(SyncFailure) {
            request = try WireCodec.decode(DownloadRequest.self, body: body, limits: desk.frameLimits(for: .download))
        } catch {
            return refuse(error)
        }
        noteAnswer(nil)
        writeHead(status: 200, contentType: WireProtocol.mediaType, sizeBytes: nil)
        context.flush()

        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let reading = Reading()
        let outlet = Outlet(handler: handler, eventLoop: eventLoop, reading: reading)
        var download = OpenDownload(reading: reading, tenure: desk.tenures.begin(request.session, admitted))
        let work = desk.work
        work.begin()
        do throws(SyncFailure) {
            download.cancel = try admitted.service.beginDownload(
                request.session, by: admitted.caller, into: outlet
            ) {
                work.end()
                eventLoop.execute { handler.value.downloadEnded(nil) }
            }
        } catch {
            work.end()
            eventLoop.execute { [error] in handler.value.downloadEnded(error) }
        }
        self.download = download
        expectNewerToken()
    }

    /// Checks again when the caller's token expires: a newer one may have been shown by then.
    private func expectNewerToken() {
        guard let context, let expires = download?.tenure.expires else { return }
        let now = desk.clock.now()
        guard expires > now else { return callerExpired() }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        // A timer runs for a month at most; then it checks again.
        let remaining = TimeAmount.milliseconds(Int64(min(expires - now, 30 * 86_400_000)))
        download?.expiry = context.eventLoop.scheduleTask(in: remaining) { handler.value.expectNewerToken() }
    }

    fileprivate func write(_ frames: [UInt8], then continuation: CheckedContinuation<Void, any Error>) {
        guard let context, download != nil else { return continuation.resume(throwing: DownloadLost()) }
        writeData(frames, isLast: false)
        if context.channel.isWritable {
            continuation.resume()
        } else {
            precondition(download?.waiting == nil, "Two senders use the sink of one download.")
            download?.waiting = continuation
            expectReading()
        }
    }

    fileprivate func offer(_ frames: [UInt8]) {
        guard let context, let download, !download.hasExpired else { return }
        if case .done = phase { return }
        writeData(frames, isLast: false)
        if !context.channel.isWritable, download.stalled == nil { expectReading() }
    }

    fileprivate func hurry() {
        guard let download else { return }
        self.download?.isEnding = true
        if download.stalled != nil { expectReading() }
    }

    func downloadIsWritable() {
        download?.reading.note(isReady: true)
        download?.stalled?.cancel()
        download?.stalled = nil
        download?.waiting?.resume()
        download?.waiting = nil
    }

    /// The download is over: sends the last message and ends the stream.
    private func downloadEnded(_ failure: SyncFailure?) {
        guard let download, context != nil else { return }
        download.expiry?.cancel()
        desk.tenures.end(download.tenure)
        if let last = download.hasExpired ? .tokenExpired : failure {
            noteAnswer(last)
            writeData(WireCodec.encode(DownloadMessage.end(last)), isLast: true)
        } else {
            writeData([], isLast: true)
        }
        phase = .done
        expectReading()
    }

    private func callerExpired() {
        download?.hasExpired = true
        download?.cancel?()
        // A sender that waits for a slow device waits no longer: the session ends either way.
        download?.waiting?.resume(throwing: DownloadLost())
        download?.waiting = nil
    }

    /// Closes the stream of a device that does not read for too long.
    private func expectReading() {
        guard let context else { return }
        download?.reading.note(isReady: false)
        download?.stalled?.cancel()
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let limits = desk.limits
        let patience = download?.isEnding == true ? limits.stalledEndingMilliseconds : limits.stalledMilliseconds
        download?.stalled = context.eventLoop.scheduleTask(in: .milliseconds(patience)) {
            handler.value.desk.observer.observe(.stalled(handler.value.facts))
            handler.value.context?.close(promise: nil)
        }
    }

    func downloadLost() {
        guard let download else { return }
        self.download = nil
        download.stalled?.cancel()
        download.expiry?.cancel()
        desk.tenures.end(download.tenure)
        download.cancel?()
        download.waiting?.resume(throwing: DownloadLost())
    }

    private func writeData(_ bytes: [UInt8], isLast: Bool) {
        guard let context else { return }
        if !bytes.isEmpty { desk.observer.observe(.sent(database: facts.database, bytes: bytes.count)) }
        let data = HTTP2Frame.FramePayload.Data(
            data: .byteBuffer(context.channel.allocator.buffer(bytes: bytes)), endStream: isLast)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: nil)
    }
}
