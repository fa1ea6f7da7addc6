import ArgumentParser

/// `deploy/demo`: a server and two devices as separate processes, on real flights.
@main
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-demo",
        abstract: "Two devices and one server carry real flights, end to end.",
        subcommands: [RunCommand.self, DeviceCommand.self]
    )
}
