import ArgumentParser
import Foundation

@main
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-load", abstract: "Measures a sync server under the load of thousands of devices.",
        subcommands: [Measuring.self, FloorServer.self], defaultSubcommand: Measuring.self)
}

/// Thousands of devices on one server: what the server needs for them, and what they notice.
struct Measuring: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Runs the rows, or one profile.",
        discussion: """
            Each row starts a server of its own on a free port of the loopback, and devices that speak the real protocol \
            over TLS. The server's CPU is what the system accounts for it.
            """)

    @Option(help: "The sync-server to measure.") var server: String
    @Option(help: "Only rows whose names contain this.") var only: String?
    @Option(help: "Instead of the rows, a profile: \(Profile.all.map(\.name).joined(separator: ", ")).")
    var profile: String?
    @Option(help: "Draws the profile into this file, as SVG.") var picture: String?
    @Option(help: "So many times smaller, to see that everything works.") var divisor = 1

    func validate() throws {
        if let profile, !Profile.all.contains(where: { $0.name == profile }) {
            throw ValidationError("There is no profile \(profile).")
        }
        guard picture == nil || profile != nil else { throw ValidationError("Name the --profile to draw.") }
        guard divisor > 0 else { throw ValidationError("Take a divisor above zero.") }
        guard FileManager.default.isExecutableFile(atPath: server) else {
            throw ValidationError("There is no program \(server).")
        }
    }

    func run() async throws {
        try OpenFiles.raise()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let figures = Figures(program: server, folder: folder, divisor: divisor)
        if let profile = Profile.all.first(where: { $0.name == profile }) {
            let timeline = try await figures.run(profile)
            print(timeline.summary(of: profile.name))
            if let picture {
                try Picture(profile: profile, timeline: timeline).svg
                    .write(toFile: picture, atomically: true, encoding: .utf8)
            }
            return
        }
        for row in Figures.rows where only.map(row.name.contains) ?? true {
            // At once, also into a file: a row takes minutes.
            for line in try await row.run(figures) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
        }
    }
}

/// Each device takes an open file.
enum OpenFiles {
    struct TooFew: Error, CustomStringConvertible {
        let description = "the limit of open files cannot be raised"
    }

    static func raise() throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw TooFew() }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw TooFew() }
    }
}
