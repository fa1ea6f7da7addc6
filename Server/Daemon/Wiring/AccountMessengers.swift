import CausewayIdentity
import Dispatch
import Foundation
import Logging
import Synchronization

/// Reaches people by the operator's program, which gets one JSON object on its standard input. Its exit status answers
/// a question: 0 yes, 1 not yet, everything else no.
///
/// One program runs at a time.
final class ProgramMessenger: AccountMessenger {
    private let program: OperatorProgram
    private let logger: Logger
    private let queue = DispatchQueue(label: "causeway.messages")
    /// Until when waiting messages are sent once the server ends.
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)

    /// How long waiting messages are sent once the server ends. A program that was started in time may run on for up to
    /// `OperatorProgram.patienceSeconds`.
    static let endPatience = Duration.seconds(20)

    init(command: [String], logger: Logger) {
        program = OperatorProgram(command: command, setting: "accounts.program", logger: logger)
        self.logger = logger
    }

    func send(_ message: AccountMessage) {
        queue.async { [self] in
            if let end = deadline.withLock({ $0 }), end < .now {
                logger.error(
                    "a message was not sent, for the server ends", metadata: ["kind": "\(message.kind.rawValue)"])
                return
            }
            let status = program.run(message).status
            if status != 0 {
                logger.error(
                    "a message was not sent: the program of `accounts.program` failed",
                    metadata: ["kind": "\(message.kind.rawValue)", "status": "\(status)"])
            }
        }
    }

    func decide(_ question: AccountQuestion) async -> AccountDecision {
        let status = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.program.run(question).status) }
        }
        return switch status {
        case 0: .yes
        case 1: .later
        default: .no
        }
    }

    func report(_ trouble: String) { logger.error("\(trouble)") }

    func finish() async {
        deadline.withLock { $0 = $0 ?? .now + Self.endPatience }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}

/// Writes messages into the log, tokens included: for development, and for servers with a few users whose operator
/// passes them on. Decides nothing.
struct LogMessenger: AccountMessenger {
    let logger: Logger

    func send(_ message: AccountMessage) {
        logger.notice(
            "a message to a user",
            metadata: [
                "kind": "\(message.kind.rawValue)", "database": "\(message.database)", "email": "\(message.email)",
                "token": "\(message.token ?? "-")", "tokenId": "\(message.tokenId ?? "-")",
            ])
    }

    func decide(_ question: AccountQuestion) async -> AccountDecision { .no }

    func report(_ trouble: String) { logger.error("\(trouble)") }
}
