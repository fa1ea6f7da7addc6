package import Foundation

/// A program that we started, with its output as lines.
package final class ChildProcess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let lines: Lines
    private let ending: Ending

    /// - Parameter environment: beside what this process has.
    /// - Throws: when the program cannot be started.
    package init(
        name: String, program: String, arguments: [String], environment: [String: String] = [:], log: URL
    ) throws {
        self.name = name
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let errors = try FileHandle(forWritingTo: log)
        errors.seekToEndOfFile()
        lines = Lines()
        ending = Ending(of: process)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        // Foundation keeps a `Process`, and with it what it was given, for longer than its owner: so we close what is ours.
        defer { try? errors.close() }
        try process.run()
        let (handle, lines) = (output.fileHandleForReading, lines)
        Thread.detachNewThread { lines.read(from: handle) }
    }

    deinit {
        try? input.fileHandleForWriting.close()
    }

    package var isRunning: Bool { process.isRunning }
    package var number: Int32 { process.processIdentifier }

    package func send(_ line: String) {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The next line of output; nil when the program has closed it. The limit is for hangs, not for busy machines.
    package func nextLine(timeout seconds: Double = 300) throws -> String? {
        try lines.next(timeout: seconds, of: name)
    }

    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        ending.wait()
    }

    /// Holds the process where it stands; its sockets stay open and silent.
    package func pause() {
        Foundation.kill(process.processIdentifier, SIGSTOP)
    }

    package func resume() {
        Foundation.kill(process.processIdentifier, SIGCONT)
    }

    /// Asks the process to read its configuration anew.
    package func hangUp() {
        Foundation.kill(process.processIdentifier, SIGHUP)
    }

    /// How long a file may become that the process writes; nil is no bound. A process that has SIGXFSZ ignored meets it
    /// as a full disk: what would make a file longer fails.
    package func limitFiles(toBytes bytes: Int?) throws {
        let tool = Process()
        let ending = Ending(of: tool)
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The soft limit only, which may be raised again.
        tool.arguments = [
            "prlimit", "--pid", "\(process.processIdentifier)", "--fsize=\(bytes.map(String.init) ?? "unlimited"):",
        ]
        try tool.run()
        ending.wait()
        guard tool.terminationStatus == 0 else {
            throw Failure(description: "the size of files of \(name) cannot be limited: 'prlimit' failed")
        }
    }

    package func terminate(patience seconds: Double = 15) -> Int32 {
        process.terminate()
        let deadline = Date().addingTimeInterval(seconds)
        while process.isRunning, Date() < deadline { usleep(20_000) }
        if process.isRunning { kill() }
        return process.terminationStatus
    }

    /// Lines that a thread reads and another waits for.
    private final class Lines: @unchecked Sendable {
        // `condition` guards `waiting` and `ended`.
        private let condition = NSCondition()
        private var waiting: [String] = []
        private var ended = false

        func read(from handle: FileHandle) {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: rest[rest.startIndex..<newline], as: UTF8.self))
                    rest = Data(rest[rest.index(after: newline)...])
                }
            }
            try? handle.close()
            condition.lock()
            ended = true
            condition.broadcast()
            condition.unlock()
        }

        private func add(_ line: String) {
            condition.lock()
            waiting.append(line)
            condition.broadcast()
            condition.unlock()
        }

        func next(timeout seconds: Double, of name: String) throws -> String? {
            condition.lock()
            defer { condition.unlock() }
            let deadline = Date().addingTimeInterval(seconds)
            while waiting.isEmpty {
                if ended { return nil }
                guard condition.wait(until: deadline) else {
                    throw Failure(description: "\(name) has said nothing for \(Int(seconds)) s")
                }
            }
            return waiting.removeFirst()
        }
    }
}
