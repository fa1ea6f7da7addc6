import Foundation

/// A client that sends bytes as they are given, so that tests can break the rules.
package final class RawClient: Sendable {
    private let socket: Int32

    /// - Parameter receiveBytes: how much the system may receive ahead of what is read; it decides if left out.
    package init(port: Int, receiveBytes: Int32? = nil) throws {
        #if canImport(Glibc)
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBytes {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .ECONNREFUSED) }
    }

    deinit { close(socket) }

    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What arrives until a text is among it, or the server closes.
    package func receive(until end: String) -> String {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        // Where all tests run at once, the server may get no processor for longer than one `recv` waits.
        var patience = 10
        while !String(decoding: received, as: UTF8.self).contains(end) {
            let count = recv(socket, &piece, piece.count, 0)
            if count < 0, errno == EAGAIN, patience > 0 {
                patience -= 1
                continue
            }
            guard count > 0 else { break }
            received += piece[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// The same, on a thread that no task needs: for tests that run beside others.
    package func received(until end: String) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: receive(until: end)) }
        }
    }

    /// Reads so many bytes, and says how many came.
    package func receiveBytes(_ bytes: Int) -> Int {
        var received = 0
        var piece = [UInt8](repeating: 0, count: 65_536)
        while received < bytes {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += count
        }
        return received
    }

    /// What arrives until the server closes; nil when it does not within twenty seconds.
    package func receiveAll() -> String? {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET { return String(decoding: received, as: UTF8.self) }
            guard count > 0 else { return nil }
            received += piece[..<count]
        }
    }
}
