import CausewayEnvironment
import CausewayTelemetry
import CoreFoundation
import Foundation

/// Writes into the audit log of a server what an operator changes at its command line, as the server writes what calls
/// change. Only a log that is a file: standard output is the command's own here.
struct OperatorAudit {
    private let database: String
    private let log: AuditLog?

    /// - Parameter folder: of the database. A log that is made here belongs to the folder's owner, so that the server can
    ///   go on with it.
    init(_ target: AuditLog.Target?, database: String, folder: String) {
        self.database = database
        guard case .file(let path)? = target else {
            log = nil
            return
        }
        Self.make(path, forOwnerOf: folder)
        log = AuditLog(.file(path), now: { SystemClock().now() }) { reason in
            let sentence =
                "The audit log \(path) has no line about this: it cannot be written (\(reason)). Check its owner, and run "
                + "this as the server's user.\n"
            try? FileHandle.standardError.write(contentsOf: Data(sentence.utf8))
        }
    }

    /// - Parameters:
    ///   - call: the command's name.
    ///   - user: whose account it is about; nil where that is not known.
    ///   - code: why it was refused.
    func write(_ kind: AuditEvent.Kind, _ call: String, of user: String?, code: String? = nil) {
        log?.write(
            AuditEvent(
                kind, database: database, user: "operator \(NSUserName())",
                subject: [call, user].compactMap { $0 }.joined(separator: " "), code: code))
    }

    /// Root makes a file that others could not write.
    private static func make(_ path: String, forOwnerOf folder: String) {
        var owner = stat()
        guard geteuid() == 0, access(path, F_OK) != 0, stat(folder, &owner) == 0 else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o640))
        guard descriptor >= 0 else { return }
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
        close(descriptor)
    }
}
