import ArgumentParser
import CausewayIdentity
import Foundation

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a development CA, a server certificate and keys to sign tokens with.",
        discussion: "Nothing is overwritten. For production, use certificates of a real authority."
    )

    @Option(help: "The folder to put them in; made when it is missing.")
    var folder = "keys"

    @Option(
        help: "A name or IPv4 address devices reach the server by, beside localhost and 127.0.0.1. Repeat for more.")
    var host: [String] = []

    @Option(help: "How many days the certificates are good for.")
    var days = 365

    @Option(help: "What tokens are signed with: HS256, RS256, ES256 or EdDSA.")
    var algorithm = SigningAlgorithm.es256

    @Option(
        help:
            "Also make a certificate for a client of this name: client.pem and client-key.pem, for `sync-server admin`."
    )
    var client: String?

    func run() throws {
        let keys = try DevelopmentKeys.make(hosts: host, days: days, tokens: algorithm, client: client, now: Date())
        let files = try KeyFolder(folder).write(keys.files)
        for file in files { print(file) }
    }
}

extension SigningAlgorithm: ExpressibleByArgument {}

/// A folder that gets new files. Existing files are never overwritten.
struct KeyFolder {
    let url: URL

    init(_ path: String) {
        url = URL(filePath: path)
    }

    /// Writes the files and returns their paths. Writes none if one of them exists already.
    func write(_ files: [DevelopmentKeys.File]) throws -> [String] {
        let manager = FileManager.default
        let taken = files.map { url.appending(path: $0.name) }.filter { manager.fileExists(atPath: $0.path) }
        guard taken.isEmpty else {
            throw CommandFailure(
                "\(taken[0].path) is there already, and keys are never overwritten. Name another folder with --folder, "
                    + "or move the old keys away.")
        }
        do {
            try manager.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for file in files { try write(file) }
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("The keys could not be written to \(url.path): \(error.localizedDescription)")
        }
        return files.map { url.appending(path: $0.name).path }
    }

    /// Created with its permissions, so that nobody else can read a secret at any instant.
    private func write(_ file: DevelopmentKeys.File) throws {
        let path = url.appending(path: file.name).path
        let mode = file.isSecret ? 0o600 : 0o644
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else {
            throw CommandFailure("\(path) could not be made: \(String(cString: strerror(errno))).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(file.text.utf8))
        try handle.synchronize()
        try handle.close()
    }
}
