import NIOCore
import NIOSSL

extension Channel {
    /// Closes the connection without TLS's farewell; what has been flushed is sent as far as the socket takes it. On the
    /// connection's event loop.
    ///
    /// For those who break the rules. They answer no farewell, and a connection that waits for one stays in memory with
    /// its buffers for five seconds, while they open the next ones.
    ///
    /// It happens once what the event loop is at is done: HTTP/2's handlers may be in the middle of opening a stream.
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
