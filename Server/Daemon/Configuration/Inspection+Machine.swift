import CausewayIdentity
import Foundation

// What a configuration asks of the machine: an address, folders, open files.

extension Inspection {
    /// Open files that are not connections: databases, the log, programs.
    static let otherFiles = 200

    mutating func inspectListening(_ configuration: Configuration) {
        if !Self.isAddress(configuration.listen.host) {
            problems.append(
                ConfigurationProblem(
                    "listen.host",
                    "'\(configuration.listen.host.prefix(80))' is no address and no name that this machine knows. 0.0.0.0 "
                        + "listens on every address."))
        }
        inspectAPI(configuration)
        let files = OpenFiles.limit
        if files < configuration.limits.connections + Self.otherFiles {
            warnings.append(
                ConfigurationProblem(
                    "limits.connections",
                    "This process may have \(files) files open, so that it takes \(configuration.connectionsMax) connections "
                        + "and closes more. Raise the limit (ulimit -n, or LimitNOFILE of systemd), or lower this one.")
            )
        }
    }

    private mutating func inspectAPI(_ configuration: Configuration) {
        guard let api = configuration.api else { return }
        if !Self.isAddress(api.host) {
            problems.append(
                ConfigurationProblem(
                    "api.host",
                    "'\(api.host.prefix(80))' is no address and no name that this machine knows. 127.0.0.1 listens for "
                        + "programs of this machine alone, 0.0.0.0 on every address."))
        }
        if api.port == configuration.listen.port, api.port != 0 {
            problems.append(
                ConfigurationProblem(
                    "api.port", "Devices are served on port \(api.port) already (listen.port). Choose another one."))
        }
        if api.port == configuration.admin?.port, api.port != 0 {
            problems.append(
                ConfigurationProblem(
                    "api.port", "Port \(api.port) is the admin listener's already (admin.port). Choose another one."))
        }
    }

    static func isAddress(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        defer { if let found { freeaddrinfo(found) } }
        return getaddrinfo(host, nil, &hints, &found) == 0
    }

    // MARK: - Folders

    mutating func inspectFolder(_ path: String, key: String) {
        if let problem = Self.problem(ofFolder: path, key: key) { problems.append(problem) }
    }

    /// A folder must be writable; if it is missing, the nearest folder that exists must be.
    static func problem(ofFolder path: String, key: String) -> ConfigurationProblem? {
        var isFolder: ObjCBool = false
        let existing = nearestExisting(path)
        guard FileManager.default.fileExists(atPath: existing, isDirectory: &isFolder), isFolder.boolValue else {
            return ConfigurationProblem(key, "\(existing) is a file, not a folder. Name another folder.")
        }
        // Modes do not tell everything: the file system may be mounted read-only.
        guard let error = writingError(existing) else { return nil }
        return ConfigurationProblem(
            key, "\(existing) is not writable for this user: \(error). Change its owner, or name another folder.")
    }

    /// A file that lines are appended to.
    mutating func inspectAppending(_ path: String, key: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return inspectFolder((path as NSString).deletingLastPathComponent, key: key)
        }
        if isFolder.boolValue {
            problems.append(ConfigurationProblem(key, "\(path) is a folder. Name a file in it."))
            return
        }
        // A pipe without a reader would be waited for.
        let descriptor = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        problems.append(
            ConfigurationProblem(
                key,
                "\(path) is not writable for this user: \(String(cString: strerror(errno))). Change its owner, or name another "
                    + "file."))
    }

    /// The folder of databases with a file each. It need not be there, but then it has none.
    mutating func inspectDatabasesFolder(_ path: String) {
        let key = "databasesFolder"
        inspectFolder(path, key: key)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        warnings.append(
            ConfigurationProblem(
                key,
                "\(path) is not there, so no database is read from it. Unless that is meant, check the path; the first database "
                    + "that a call adds makes the folder."))
    }

    /// Makes a file and removes it. Nil when that works; otherwise the error.
    private static func writingError(_ folder: String) -> String? {
        let path = folder + "/.sync-server-check-\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        close(descriptor)
        unlink(path)
        return nil
    }

    static func nearestExisting(_ path: String) -> String {
        var existing = URL(filePath: path)
        while !FileManager.default.fileExists(atPath: existing.path), existing.path != "/" {
            existing.deleteLastPathComponent()
        }
        return existing.path
    }

    static func realPath(_ path: String) -> String {
        let existing = nearestExisting(path)
        guard let real = realpath(existing, nil) else { return path }
        defer { free(real) }
        return String(cString: real) + path.dropFirst(existing.utf8.count)
    }
}

extension Configuration {
    /// How many connections are accepted: as many as configured, and no more than this process may have files.
    var connectionsMax: Int { max(1, min(limits.connections, OpenFiles.limit - Inspection.otherFiles)) }
}

/// How many files this process may have open.
enum OpenFiles {
    /// The most that this user may ask for: `raise` asks for it.
    static var limit: Int { Int(clamping: limits.rlim_max) }

    static func raise() {
        var limits = limits
        limits.rlim_cur = limits.rlim_max
        setrlimit(resource, &limits)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var limits: rlimit {
        var limits = rlimit()
        getrlimit(resource, &limits)
        return limits
    }
}
