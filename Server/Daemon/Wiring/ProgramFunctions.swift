import CausewayIdentity
import Foundation
import Logging
import Synchronization

/// Functions that are programs of the operator: the call goes to standard input, the result comes from standard output.
/// A program with another exit status than zero has failed, and its output is told to the app.
///
/// A few run at a time, and a bounded number waits.
final class ProgramFunctions: FunctionRunner {
    private let programs: [String: OperatorProgram]
    private let logger: Logger
    private let queue = OperationQueue()
    private let underWay = Atomic(0)

    static let runningMax = 4
    static let underWayMax = 200
    static let messageLengthMax = 1_000

    init(_ functions: [Configuration.Accounts.Function], logger: Logger) {
        programs = Dictionary(
            functions.map {
                (
                    $0.name,
                    OperatorProgram(command: $0.program, setting: "accounts.functions: \($0.name)", logger: logger)
                )
            }, uniquingKeysWith: { first, _ in first })
        self.logger = logger
        queue.maxConcurrentOperationCount = Self.runningMax
    }

    func run(_ call: FunctionCall) async -> FunctionOutcome {
        guard let program = programs[call.function] else { return .unknown }
        defer { underWay.subtract(1, ordering: .relaxed) }
        guard underWay.add(1, ordering: .relaxed).newValue <= Self.underWayMax else { return .busy }
        let (status, output) = await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: program.run(call)) }
        }
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard status == 0 else {
            logger.warning("a function failed", metadata: ["function": "\(call.function)", "status": "\(status)"])
            return .failed(String(text.prefix(Self.messageLengthMax)))
        }
        if text.isEmpty { return .result(.null) }
        do throws(ClaimReadingError) {
            return .result(try ClaimValue(json: text.utf8, within: .functionResult))
        } catch {
            logger.error(
                "what a function wrote is no JSON value, or too long",
                metadata: ["function": "\(call.function)", "error": "\(error)"])
            return .failed("")
        }
    }
}
