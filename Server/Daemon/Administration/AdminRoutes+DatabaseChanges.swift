import CausewayAdmin
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewayOpenAPI
import CausewayStoreEmbedded
import Foundation

// Databases that calls add and drop. Each has a file in `databasesFolder`, so that it is there after a restart too.

extension AdminRoutes {
    mutating func addDatabaseChanges(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "POST", "/admin/v1/databases",
                    AdminDescription(
                        "addDatabase", "Adds a database, and serves it at once.", body: "NewDatabase", status: 201,
                        answer: "Reloaded", errors: [.conflict, .configurationInvalid, .notConfigured])
                ) { request throws(AdminError) in
                    let report = try await desk.files.change { () throws(AdminError) in try await desk.add(request) }
                    var answer = HTTPAnswer.json { report.append(to: &$0) }
                    answer.status = 201
                    return answer
                }.naming(databaseBy: "name"),
                AdminRoute(
                    "DELETE", "/admin/v1/databases/{database}",
                    AdminDescription(
                        "dropDatabase", "Takes a database off the server. Its files stay, unless told otherwise.",
                        parameters: [
                            DescribedParameter(
                                "deleteFiles", .text, "The name of the database again: deletes its files, for good.")
                        ], answer: "Reloaded", errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in
                    let report = try await desk.files.change { () throws(AdminError) in try await desk.drop(request) }
                    return .json { report.append(to: &$0) }
                },
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            NewDatabase:
              type: object
              description: An entry of the list databases in the configuration.
              required: [name]
              additionalProperties: true
              properties:
                name: {type: string}
                folder: {type: string, description: 'Left out: a folder beside the file of the database.'}

        """
}

/// The files of `databasesFolder`, changed by one call at a time.
actor DatabaseFiles {
    private var last: Task<Void, Never>?

    /// Runs a change when those before it are over.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        let before = last
        let task = Task { () -> Result<Value, AdminError> in
            await before?.value
            do throws(AdminError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }
}

extension AdminDesk {
    private func change(_ change: ReloadDesk.Change) async throws(AdminError) -> ReloadReport {
        guard let report = await reloads.change(change) else { throw .reloadsBusy }
        return report
    }

    fileprivate func folder() throws(AdminError) -> String {
        guard let folder = inForce.configuration.databasesFolder else {
            throw AdminError(
                .notConfigured,
                "The configuration names no databasesFolder, in which databases that calls add have their files. Name one "
                    + "and restart the server, or write the database into the configuration and call reload.")
        }
        return folder
    }

    // MARK: - Adding

    fileprivate func add(_ request: AdminRequest) async throws(AdminError) -> ReloadReport {
        let folder = try folder()
        let (name, text) = try newDatabase(request.request.body, in: folder)
        guard tenants[name] == nil else {
            throw AdminError(.conflict, "The server has a database “\(name)” already. Choose another name.")
        }
        let path = Configuration.databaseFile(name, in: folder)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw AdminError(
                .conflict,
                "\(path) is there already, and the server does not serve what it says. Put it right or remove it, "
                    + "and call reload.")
        }
        // Before anything is written: a file with a problem would keep the server from starting.
        do throws(ConfigurationError) {
            _ = try ConfigurationFile.read(file, candidate: (name, text))
        } catch {
            throw AdminError(.configurationInvalid, "The database cannot be added:\n\(error)")
        }
        try write(Data(text.utf8), to: path, in: folder)
        let report: ReloadReport
        do throws(AdminError) {
            // It and nothing else: what the operator has changed besides waits until they ask for it.
            report = try await change(.add(name: name, text: text))
        } catch {
            try remove(path)
            throw error
        }
        // A reload may have read the file first: what counts is whether the database is served.
        guard tenants[name] != nil else {
            try remove(path)
            let reason = report["databases.\(name)"]?.reason ?? "The server's log says why."
            throw AdminError(.configurationInvalid, "The database was not added:\n\(reason)")
        }
        return report
    }

    /// The text of the file: the body, which is YAML too, with the folder that it leaves out.
    private func newDatabase(_ body: [UInt8], in folder: String) throws(AdminError) -> (name: String, text: String) {
        let json: JSON
        do throws(JSONReader.Failure) {
            json = try JSONReader.read(body)
        } catch {
            throw AdminError(.requestInvalid, "The body is not JSON: at byte \(error.offset), \(error.reason).")
        }
        guard var members = json.members, let name = json["name"]?.string, Configuration.isDatabaseName(name) else {
            throw AdminError(
                .requestInvalid,
                "The body is no database. Expected is an object with a name of 1 to 64 letters, digits, '-' and '_'.")
        }
        if json["folder"] == nil { members.append(JSON.Member("folder", .string("\(folder)/\(name)"))) }
        var writer = JSONWriter()
        writer.write(.object(members))
        return (name, String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }

    private func write(_ content: Data, to path: String, in folder: String) throws(AdminError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try DurableFile.replace(path, with: content)
        } catch let failure as DurableFile.Failure {
            throw AdminError(.serverFault, failure.message)
        } catch {
            throw AdminError(
                .serverFault,
                "The folder \(folder) could not be made: \(error.localizedDescription). Make it for the "
                    + "server's user.")
        }
    }

    private func remove(_ path: String) throws(AdminError) {
        do throws(DurableFile.Failure) {
            try DurableFile.remove(path)
        } catch {
            throw AdminError(.serverFault, error.message)
        }
    }

    // MARK: - Dropping

    fileprivate func drop(_ request: AdminRequest) async throws(AdminError) -> ReloadReport {
        let name = request["database"]
        guard let tenant = tenants[name] else { throw notServed(name) }
        let deletes = request.text("deleteFiles")
        guard deletes == nil || deletes == name else {
            throw AdminError(
                .requestInvalid,
                "deleteFiles does not name the database again. Nothing was dropped and nothing deleted.")
        }
        let configuration = inForce.configuration
        guard configuration.databasesWithFile.contains(name), let folder = configuration.databasesFolder else {
            throw AdminError(
                .conflict,
                "The database “\(name)” is in the configuration itself. Take it out there, and call reload.")
        }
        let data = tenant.folder
        try remove(Configuration.databaseFile(name, in: folder))
        let report = try await change(.drop(name: name, deletesFiles: deletes != nil))
        if deletes != nil { try deleteFiles(in: data) }
        return report
    }

    /// Deletes what the server has made in the folder of a database, and the folder if nothing else is in it.
    private func deleteFiles(in folder: String) throws(AdminError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names
        where name.hasPrefix(StoreEmbedded.fileName) || name.hasPrefix(Accounts.fileName)
            || name == ShutOuts.fileName || name == FolderLock.fileName
        {
            try remove("\(folder)/\(name)")
        }
        rmdir(folder)
    }
}
