import ArgumentParser
import CausewayJourneyUniverse
import CausewayMergeUniverse
import CausewaySeeds

/// Delivers every two changesets of three writers in every order, in a small universe, and compares what they become;
/// then takes every two deeds of three devices through files, uploads, views and downloads.
@main
struct EnumerationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-enumeration")

    enum Level: String, CaseIterable, ExpressibleByArgument {
        /// The rules alone.
        case joins
        /// From the app's write to what all devices show.
        case journeys
    }

    @Option(help: "Only one part of so many: '3/100', or 'any/100' for a drawn one. Each holds some of everything.")
    var part = Part(number: 1, of: 1)
    @Option(help: "Only the rules (joins), or only from device to device (journeys).") var level: Level?
    @Option(
        name: .customLong("case"), help: "Show the case with this number instead; of journeys with --level journeys.")
    var number: Int?
    @Option(help: "How many run side by side.") var jobs = 2

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("Take between one and 64 jobs.") }
    }

    func run() async throws {
        if let number { return try show(number, level ?? .joins) }
        let only = level.map { " --level \($0.rawValue)" } ?? ""
        SeedList.tell("deploy/test --enumerate --part \(part)\(only)")
        var cases = 0
        for level in Level.allCases where self.level ?? level == level {
            cases += level == .joins ? try await runJoins() : try await runJourneys()
        }
        print("causeway-enumeration: \(cases) cases: every one ends in one state")
    }

    private func runJoins() async throws -> Int {
        let progress = Progress(Enumeration(), part)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { progress.work() } }
        }
        try report(progress.difference, .joins)
        print("causeway-enumeration: \(progress.cases) orders of delivery of \(progress.scenarios) scenarios")
        return progress.cases
    }

    private func runJourneys() async throws -> Int {
        let progress = JourneyProgress(Journeys(), part)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { try progress.work() } }
            try await group.waitForAll()
        }
        try report(progress.difference, .journeys)
        print("causeway-enumeration: \(progress.cases) journeys")
        return progress.cases
    }

    private func report(_ difference: (number: Int, how: String)?, _ level: Level) throws {
        guard let (number, how) = difference else { return }
        try show(number, level)
        print("causeway-enumeration: case \(number): \(how)")
        print("causeway-enumeration: see it again with --level \(level.rawValue) --case \(number)")
        throw ExitCode.failure
    }

    private func show(_ number: Int, _ level: Level) throws {
        switch level {
        case .joins:
            guard number >= 0, let story = Enumeration().family(ofCase: number)?.story(ofCase: number) else {
                throw ValidationError("No case has the number \(number).")
            }
            print(story)
        case .journeys:
            let journeys = Journeys()
            guard (0..<journeys.cases).contains(number) else {
                throw ValidationError("No journey has the number \(number).")
            }
            print(journeys.title(of: number))
            for (_, how) in try journeys.run([number], story: { print($0) }).differences { print(how) }
        }
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
        let words = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, let count = Int(words[1]), count > 0,
            let number = words[0] == "any" ? Int.random(in: 1...count) : Int(words[0]), (1...count).contains(number)
        else { return nil }
        self.init(number: number, of: count)
    }

    var description: String { "\(number)/\(count)" }

    func includes(_ scenario: Int) -> Bool {
        SpreadParts.part(ofScenario: scenario, of: count) == number
    }
}
