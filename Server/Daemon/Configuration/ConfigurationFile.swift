import CausewayTelemetry
import Foundation

/// Reads the configuration from its file.
enum ConfigurationFile {
    /// - Parameter candidate: a text that is read as if it were the file of this database in `databasesFolder`.
    static func read(
        _ path: String, candidate: (name: String, text: String)? = nil
    ) throws(ConfigurationError) -> Configuration {
        let file = URL(filePath: path)
        let text = try text(of: file)
        let base = file.deletingLastPathComponent()
        var configuration = try Configuration.read(text)
        if let folder = configuration.databasesFolder {
            let path = folder.hasPrefix("/") ? URL(filePath: folder) : base.appending(path: folder)
            configuration = try configuration.withDatabases(in: path, candidate: candidate)
        }
        return configuration.resolved(against: base)
    }

    static func text(of file: URL) throws(ConfigurationError) -> String {
        do {
            // The size is checked first, so that a device file or a log named by mistake is not read whole.
            let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            guard size <= Configuration.FileLimits.bytes else {
                throw ConfigurationError(
                    problems: [
                        ConfigurationProblem(
                            "",
                            "\(file.path) has \(size) bytes, and \(Configuration.FileLimits.bytes) are the most. "
                                + "Is this the server's configuration?")
                    ])
            }
            return try String(contentsOf: file, encoding: .utf8)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(
                problems: [
                    ConfigurationProblem(
                        "",
                        "\(file.path) cannot be read as a text file. Name the configuration with --configuration FILE, "
                            + "or begin with a copy of deploy/sync-server.example.yaml.")
                ])
        }
    }
}

extension Configuration {
    /// Makes paths absolute: relative ones count from the configuration's own folder, wherever the server is started.
    func resolved(against folder: URL) -> Configuration {
        func absolute(_ path: String) -> String {
            let url = path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
            return url.absoluteURL.standardizedFileURL.path
        }
        var result = self
        result.tls.certificate = absolute(tls.certificate)
        result.tls.key = absolute(tls.key)
        for index in result.databases.indices { result.databases[index].folder = absolute(databases[index].folder) }
        result.databasesFolder = databasesFolder.map(absolute)
        result.journal?.connectionFile = absolute(journal?.connectionFile ?? "")
        result.backups?.folder = absolute(backups?.folder ?? "")
        func located(_ tokens: Tokens) -> Tokens {
            var result = tokens
            for index in tokens.keys.indices { result.keys[index].file = absolute(tokens.keys[index].file) }
            result.keySet = tokens.keySet.map(absolute)
            return result
        }
        result.tokens = located(tokens)
        for index in databases.indices { result.databases[index].tokens = databases[index].tokens.map(located) }
        for index in databases.indices {
            result.databases[index].carriers = databases[index].carriers.located(absolute)
        }
        for index in (accounts?.providers ?? []).indices {
            result.accounts?.providers[index].keySet = absolute(accounts?.providers[index].keySet ?? "")
        }
        result.admin?.tokenFile = admin?.tokenFile.map(absolute)
        result.admin?.clientAuthorities = admin?.clientAuthorities.map(absolute)
        if case .file(let path)? = log.audit { result.log.audit = .file(absolute(path)) }
        return result
    }
}
