import ArgumentParser
import CausewayMergeUniverse

/// Delivers every two changesets of three writers in every order, in a small universe, and compares what they become.
@main
struct EnumerationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-enumeration")

    @Option(help: "Only one part of so many: '3/100'. Parts are fixed, and each holds some of everything.")
    var part = Part(number: 1, of: 1)
    @Option(name: .customLong("case"), help: "Show the case with this number instead.") var number: Int?
    @Option(help: "How many run side by side.") var jobs = 2

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("Take between one and 64 jobs.") }
    }

    func run() async throws {
        let enumeration = Enumeration()
        if let number { return try show(number, of: enumeration) }
        let progress = Progress(enumeration, part)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { progress.work() } }
        }
        if let (number, how) = progress.difference {
            print("causeway-enumeration: case \(number): \(how)")
            try show(number, of: enumeration)
            print("causeway-enumeration: see it again with --case \(number)")
            throw ExitCode.failure
        }
        print(
            "causeway-enumeration: \(progress.cases) cases, of \(progress.scenarios) scenarios: every order of delivery "
                + "gives one state, as the reference says")
    }

    private func show(_ number: Int, of enumeration: Enumeration) throws {
        guard let story = enumeration.family(ofCase: number)?.story(ofCase: number) else {
            throw ValidationError("No case has the number \(number).")
        }
        print(story)
    }
}

/// One of several parts of the scenarios, spread so that each part holds some of everything.
struct Part: ExpressibleByArgument, CustomStringConvertible, Sendable {
    let number: Int
    let count: Int

    init(number: Int, of count: Int) {
        self.number = number
        self.count = count
    }

    init?(argument: String) {
        let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let number = numbers[0], let count = numbers[1], count > 0,
            (1...count).contains(number)
        else { return nil }
        self.init(number: number, of: count)
    }

    var description: String { "\(number)/\(count)" }
}
