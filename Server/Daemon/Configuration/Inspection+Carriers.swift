import CausewayModel
import CausewaySinks
import CausewayStore
import Foundation

// What carries changes and one-way objects on.

extension Inspection {
    mutating func inspectCarriers(_ carriers: Configuration.Carriers, key: String) {
        for (index, webhook) in carriers.webhooks.enumerated() {
            inspectReceiver(webhook.receiver, key: "\(key).webhooks[\(index)]")
        }
        var folders: Set<String> = []
        for (index, sink) in carriers.sinks.enumerated() {
            let place = "\(key).sinks[\(index)]"
            switch sink.place {
            case .files(let folder, _, _):
                inspectFolder(folder, key: "\(place).folder")
                if !folders.insert(Self.wholePath(folder)).inserted {
                    problems.append(
                        ConfigurationProblem("\(place).folder", "Two sinks share this folder. Give each its own."))
                }
            case .postgresql(let file, _): inspectSecret(file, key: "\(place).connectionFile", bytesMin: 1)
            case .webhook(let receiver): inspectReceiver(receiver, key: place)
            }
        }
    }

    /// Classes that the database does not have. Only warns: they may come with the next device.
    mutating func inspectCarriedClasses(of database: Configuration.Database, key: String) {
        let named =
            database.carriers.webhooks.enumerated().map { ("\(key).webhooks[\($0)].classes", $1.classes) }
            + database.carriers.sinks.enumerated().map { ("\(key).sinks[\($0)].classes", $1.classes) }
        guard named.contains(where: { $0.1 != nil }),
            !DatabaseFolder(database.folder).hasNoObjects, let schema = Self.schema(of: database)
        else { return }
        let known = schema.classes.map(\.name)
        for (place, classes) in named {
            for name in (classes ?? []).map(\.string).sorted() where !known.contains(where: { $0.isSame(as: name) }) {
                let nearest = NearestName.of(name, among: known).map { " Did you mean \($0)?" } ?? ""
                warnings.append(
                    ConfigurationProblem(
                        place,
                        "'\(database.name)' has no class '\(name.prefix(64))', so nothing of it is sent until an app brings it."
                            + nearest))
            }
        }
    }

    /// Sinks of several databases, and the folders of databases: whoever shares one destroys the other's files.
    mutating func inspectSinkFolders(_ databases: [Configuration.Database]) {
        let ofDatabases = databases.map { ($0.name, Self.wholePath($0.folder)) }
        var owners: [String: String] = [:]
        for (index, database) in databases.enumerated() {
            for (number, sink) in database.carriers.sinks.enumerated() {
                guard case .files(let folder, _, _) = sink.place else { continue }
                let (path, key) = (Self.wholePath(folder), "databases[\(index)].sinks[\(number)].folder")
                // Two sinks of one database are told where that is inspected.
                let owner = owners[path, default: database.name]
                owners[path] = owner
                if owner != database.name {
                    problems.append(
                        ConfigurationProblem(key, "A sink of '\(owner)' has this folder too. Give each its own."))
                }
                for (name, place) in ofDatabases where path == place || path.hasPrefix(place + "/") {
                    problems.append(
                        ConfigurationProblem(
                            key, "The folder belongs to the database '\(name)'. Give the sink one outside of it."))
                }
            }
        }
    }

    /// Without symbolic links, and without a slash at the end.
    private static func wholePath(_ path: String) -> String {
        var whole = realPath(path)
        while whole.count > 1, whole.hasSuffix("/") { whole.removeLast() }
        return whole
    }

    private mutating func inspectReceiver(_ receiver: Configuration.Receiver, key: String) {
        inspectSecret(receiver.secretFile, key: "\(key).secretFile", bytesMin: WebhookSignature.secretBytesMin)
        if let file = receiver.trustRootsFile {
            do throws(SinkFailure) {
                _ = try SecretFile.text(of: file)
            } catch {
                problems.append(ConfigurationProblem("\(key).trustRoots", error.message))
            }
        }
        if receiver.url.hasPrefix("http://") {
            warnings.append(
                ConfigurationProblem("\(key).url", "Everybody on the way can read what is sent. Use https."))
        }
    }

    private mutating func inspectSecret(_ path: String, key: String, bytesMin: Int) {
        do throws(SinkFailure) {
            let secret = try SecretFile.text(of: path)
            if secret.utf8.count < bytesMin {
                problems.append(
                    ConfigurationProblem(
                        key,
                        "The secret in \(path) has less than \(bytesMin) bytes. Make one with: head -c 32 /dev/urandom | base64"
                    ))
            }
        } catch {
            problems.append(ConfigurationProblem(key, error.message))
        }
        if Self.isReadableByOthers(path) {
            warnings.append(
                ConfigurationProblem(key, "Others can read this secret. Take it from them: chmod 600 \(path)"))
        }
    }
}
