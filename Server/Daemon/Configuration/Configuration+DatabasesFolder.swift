import Foundation
import Yams

// Databases that have a file of their own: what calls of the admin API add, and the operator may write by hand.

extension Configuration {
    /// The file of a database in the folder of `databasesFolder`: an entry of the list `databases`.
    static func databaseFile(_ name: String, in folder: String) -> String { "\(folder)/\(name).yaml" }

    /// Reads the files of the folder, in the order of their names, and adds their databases to those of the configuration.
    ///
    /// - Parameter candidate: a text that is read as if it were the file of this name, in the place of one that is there.
    func withDatabases(
        in folder: URL, candidate: (name: String, text: String)? = nil
    ) throws(ConfigurationError) -> Configuration {
        var result = self
        var problems: [ConfigurationProblem] = []
        var texts = Self.databaseTexts(in: folder, &problems)
        if let candidate { texts[candidate.name] = candidate.text }
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            let place = "databasesFolder/\(name).yaml"
            do throws(ConfigurationError) {
                let database = try Self.readDatabase(text, named: name, self)
                if result.databases.contains(where: { $0.name == database.name }) {
                    problems.append(
                        ConfigurationProblem(place, "Two databases are named '\(name)'. Give each its own name."))
                } else {
                    result.databases.append(database)
                    result.databasesWithFile.insert(database.name)
                }
            } catch {
                problems += error.problems.map { problem in
                    ConfigurationProblem("\(place): \(problem.key)", line: problem.line, problem.message)
                }
            }
        }
        if result.databases.count > FileLimits.databases {
            problems.append(
                ConfigurationProblem(
                    "databasesFolder",
                    "There are \(result.databases.count) databases, and \(FileLimits.databases) are the most."))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return result
    }

    /// The configuration with one database more, which has a file of its own. Its paths count from where those of the
    /// configuration were read.
    func adding(_ text: String, named name: String) throws(ConfigurationError) -> Configuration {
        var result = self
        result.databases.append(try Self.readDatabase(text, named: name, self))
        result.databasesWithFile.insert(name)
        return result
    }

    /// Nil unless the folder is gone with the files of databases that are served: its disk may not be mounted.
    func folderGone(since before: Configuration) -> ConfigurationError? {
        guard let folder = databasesFolder, folder == before.databasesFolder, !before.databasesWithFile.isEmpty,
            !FileManager.default.fileExists(atPath: folder)
        else { return nil }
        return ConfigurationError(
            problems: [
                ConfigurationProblem(
                    "databasesFolder",
                    "\(folder) is not there any more, and \(before.databasesWithFile.count) databases were read from it. Put it "
                        + "back. To drop them, leave an empty folder.")
            ])
    }

    /// The texts of the files by their names without `.yaml`. A folder that is not there has none.
    private static func databaseTexts(in folder: URL, _ problems: inout [ConfigurationProblem]) -> [String: String] {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            // Without its files, the databases that are served would be dropped.
            if FileManager.default.fileExists(atPath: folder.path) {
                problems.append(
                    ConfigurationProblem(
                        "databasesFolder",
                        "\(folder.path) is no folder that this user may list. Correct the path, or its owner and mode.")
                )
            }
            return [:]
        }
        var texts: [String: String] = [:]
        for file in files.sorted().prefix(FileLimits.databases + 1)
        where file.hasSuffix(".yaml") && !file.hasPrefix(".") {
            do throws(ConfigurationError) {
                texts[String(file.dropLast(".yaml".count))] = try ConfigurationFile.text(
                    of: folder.appending(path: file))
            } catch {
                problems += error.problems
            }
        }
        return texts
    }

    private static func readDatabase(
        _ text: String, named name: String, _ configuration: Configuration
    ) throws(ConfigurationError) -> Database {
        try checkSize(text)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw ConfigurationError(problems: [ConfigurationProblem("", "The file is not YAML: \(error)")])
        }
        var section = Section(root, path: "")
        let database = readDatabase(&section, configuration.tokens, configuration.limits)
        if database.name != name, !database.name.isEmpty {
            section.note(
                "name", nil,
                "The file of the database '\(database.name.prefix(64))' is named \(name.prefix(80)).yaml. Name it after the "
                    + "database.")
        }
        let tokens = database.tokens ?? configuration.tokens
        if configuration.accounts == nil, tokens.hasNoKeys {
            section.note(
                "tokens.keys", nil, "No key is named, so no token could be verified. Give keys or a JWKS file.")
        }
        let problems = section.finish()
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return database
    }
}
