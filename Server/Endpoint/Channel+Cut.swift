import NIOCore
import NIOSSL

extension Channel {
    /// Closes the connection without waiting for TLS's close_notify. What has been flushed is sent as far as the socket
    /// takes it. Must be called on the connection's event loop.
    ///
    /// It is for clients that break the rules. They answer no close_notify, and a connection that waits for one stays
    /// in memory with its buffers for five seconds, while they open the next ones.
    ///
    /// It happens after the current work of the event loop: HTTP/2's handlers may be in the middle of opening a stream.
    func cut() {
        eventLoop.assumeIsolated().execute { [self] in
            if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(promise: nil)
            } else {
                close(promise: nil)
            }
        }
    }
}
