import CausewayObjectStore
import Foundation
import Synchronization

/// Stops the program because it used the library in a way that RealmSwift answers with an exception.
///
/// The caller cannot continue: it holds an object that does not exist, or writes where writing is not allowed. The
/// sentence goes to standard error, where a crash report and an exit test read it.
@usableFromInline
package func misuse(_ sentence: String) -> Never {
    fatalError("Causeway: " + sentence)
}

/// Stops the program because a read that cannot throw met a part of the file that is damaged or gone.
///
/// No return value would be right: zero, nil or a shorter list is wrong, and the app might write data derived from it.
func unreadable(_ error: StoreError, fileURL: URL?) -> Never {
    Realm.damageHandler?(Realm.Error(error, fileURL: fileURL))
    misuse("The Realm file '\(error.path)' can no longer be read: \(error.message)")
}

extension Realm {
    private static let damageHandling = Mutex<(@Sendable (Error) -> Void)?>(nil)

    /// Called before the program stops because a read met a damaged page and cannot throw.
    ///
    /// Every page of a file is checked when it is first read. Opening a Realm, writing, committing, copying and compacting
    /// throw `Realm.Error.invalidDatabase` for a page that is not what was written. A property, a list or a query
    /// cannot throw. Instead of returning a wrong value, it calls this handler and stops the program. Data on sound
    /// pages stays readable.
    ///
    /// ```swift
    /// Realm.damageHandler = { error in
    ///     try? Data(error.localizedDescription.utf8).write(to: folder.appending(path: "restore-at-next-launch"))
    /// }
    /// ```
    ///
    /// The handler runs on the thread that reads, in the middle of the read: it must not use the Realm. It cannot prevent
    /// the stop.
    @preconcurrency
    public static var damageHandler: (@Sendable (Error) -> Void)? {
        get { damageHandling.withLock { $0 } }
        set { damageHandling.withLock { $0 = newValue } }
    }
}
