import Dispatch
import Foundation
import Logging
import Synchronization

/// One of the operator's programs. It gets one JSON object on its standard input, and answers by its exit status and
/// its standard output. Its standard error goes to the daemon's own.
struct OperatorProgram: Sendable {
    let command: [String]
    /// The setting that names it, for the log.
    let setting: String
    let logger: Logger

    static let patienceSeconds = 30.0
    static let outputBytesMax = 1 << 20

    /// Runs the program to its end, for at most half a minute. Blocks as long.
    ///
    /// - Returns: its exit status and its output; 127 when it cannot be started, 128 when a signal ended it.
    func run(_ content: some Encodable) -> (status: Int32, output: Data) {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        let json: Data
        do {
            json = try JSONEncoder().encode(content) + Data("\n".utf8)
            try process.run()
        } catch {
            logger.error("the program of `\(setting)` cannot be started", metadata: ["error": "\(error)"])
            return (127, Data())
        }
        // A program may write before it has read all: neither side waits for the other.
        let written = Written()
        DispatchQueue.global().async {
            written.read(from: output.fileHandleForReading, bytesMax: Self.outputBytesMax)
        }
        DispatchQueue.global().async {
            try? input.fileHandleForWriting.write(contentsOf: json)
            try? input.fileHandleForWriting.close()
        }
        if ended.wait(timeout: .now() + Self.patienceSeconds) == .timedOut {
            logger.error("the program of `\(setting)` takes too long and is ended")
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
        }
        // Processes that it has started may live on and hold the pipe: they are not waited for.
        let bytes = written.bytes(patienceSeconds: 1)
        guard process.terminationReason == .exit else { return (128, bytes) }
        return (process.terminationStatus, bytes)
    }
}

/// What a program has written so far.
private final class Written: Sendable {
    private let state = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    func read(from handle: FileHandle, bytesMax: Int) {
        while let bytes = try? handle.read(upToCount: 64 << 10), !bytes.isEmpty {
            // The rest is read too, so that the program does not wait for ever, and dropped.
            state.withLock { $0 += bytes.prefix(bytesMax - $0.count) }
        }
        ended.signal()
    }

    func bytes(patienceSeconds: Double) -> Data {
        _ = ended.wait(timeout: .now() + patienceSeconds)
        return state.withLock { $0 }
    }
}
