import ArgumentParser
import CausewayHTTP
import Glibc
import Logging
import Synchronization

/// Receives webhooks: keeps each body as a line of a file, and answers once that is durable. It may be killed at any moment.
@main
struct HookReceiver: AsyncParsableCommand {
    @Option var port: Int
    @Option var file: String

    func run() async throws {
        let listener = HTTPListener(
            host: "127.0.0.1", port: port, tls: nil, service: try Keeping(file), logger: Logger(label: "receiver"))
        _ = try await listener.start()
        print("ready")
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// The file. What a kill has cut off was not answered, and goes.
private final class Keeping: HTTPService {
    private let descriptor: Int32
    private let lock = Mutex(())

    struct Failure: Error {}

    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        var length = Int(lseek(descriptor, 0, SEEK_END))
        var last: UInt8 = 0
        while length > 0, pread(descriptor, &last, 1, length - 1) == 1, last != UInt8(ascii: "\n") { length -= 1 }
        guard ftruncate(descriptor, length) == 0 else { throw Failure() }
    }

    func admit(_ head: HTTPHead) -> HTTPAdmission { .body(bytesMax: 1 << 24) }

    func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        // The server's JSON has no line break in it.
        let line = request.body + [UInt8(ascii: "\n")]
        let isKept = lock.withLock { _ in
            write(descriptor, line, line.count) == line.count && fdatasync(descriptor) == 0
        }
        return .text("\n", status: isKept ? 200 : 500)
    }
}
