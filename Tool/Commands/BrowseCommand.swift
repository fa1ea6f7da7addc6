import ArgumentParser
import CausewayAdmin
import CausewayFiles
import CausewayHTTP
import Dispatch
import Foundation
import Logging

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Shows the objects of a file in a browser.",
        discussion: """
            Prints an address of this machine, with a token that is good until the command ends (Ctrl-C). Nobody else on \
            the machine can read the file by it. An app may have the file open meanwhile; what is shown is its newest state.
              causeway browse flights.realm
            """)

    @OptionGroup var options: FileOptions
    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 0
    @Flag(help: "Also create, change and delete objects, in a local file.")
    var writable = false

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port takes a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let key = try options.key()
        let opened =
            try writable ? OpenedFile.change(options.file, key: key) : OpenedFile.inspect(options.file, key: key)
        defer { opened.close() }
        let file = try BrowsedFile(opened, isWritable: writable)
        let token = Self.token()
        let service = AdminService(
            .browsing(file),
            access: AdminAccess(token: token, isPeerVerified: false, isMonitoringOpen: false, isLocal: true))
        let listener = HTTPListener(
            host: "127.0.0.1", port: port, tls: nil, service: service,
            logger: Logger(label: "causeway") { _ in SwiftLogNoOpLogHandler() })
        let open: Int
        do {
            open = try await listener.start()
        } catch {
            throw FileFailure(
                "Port \(port) cannot be listened on: \(TransportTrouble(error).words). Choose another one, or leave --port out."
            )
        }
        print("http://127.0.0.1:\(open)/console/#token=\(token)")
        print("Open this address in a browser on this machine. Ctrl-C ends.")
        // Also where the output is no terminal, and somebody reads the address from it.
        fflush(nil)
        await Interruption.wait()
        await listener.shutdown()
    }

    /// Nobody guesses it: 256 random bits.
    private static func token() -> String {
        var numbers = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max, using: &numbers), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// What ends a command that runs until somebody ends it.
private enum Interruption {
    /// Waits for SIGINT or SIGTERM.
    static func wait() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}
