import CausewayObjectStore
import CausewayStorage

extension Realm {
    /// What `verify` found in a file.
    ///
    /// ```swift
    /// let report: Realm.VerificationReport = try Realm.verify(configuration)
    /// for problem in report.problems { print(problem) }
    /// ```
    public struct VerificationReport: Sendable, Hashable {
        /// The problems, one sentence each: where, and what contradicts what. Empty when the file is sound. A hundred
        /// at most.
        public let problems: [String]
        /// The number of problems, including those without a sentence.
        public let problemCount: Int
        /// How many objects the file has, embedded ones included.
        public let objectCount: Int

        /// Whether there is no problem.
        ///
        /// ```swift
        /// let isGood = try Realm.verify(configuration).isSound
        /// ```
        public var isSound: Bool { problemCount == 0 }

        init(_ report: CausewayObjectStore.VerificationReport) {
            problems = report.problems
            problemCount = report.problemCount
            objectCount = report.objects
        }
    }

    /// Reads the whole file of a configuration and reports everything in it that is damaged or contradicts itself.
    ///
    /// ```swift
    /// let report = try Realm.verify(configuration) { print("\(Int($0 * 100)) %") }
    /// guard report.isSound else { fatalError(report.problems.joined(separator: "\n")) }
    /// ```
    ///
    /// Every page is compared with its checksum, every index with its values, every link with its backlink, every
    /// collection with its parts, and every count with what is there. The newest version is checked; this and other
    /// processes may have the file open meanwhile. The classes of the configuration are ignored, no migration runs, and
    /// nothing is written. `Realm.damageHandler` is not called.
    ///
    /// - Parameter progress: Called now and then with the fraction that is done, from 0 to 1.
    /// - Throws: `Realm.Error` when the file cannot be opened: there is none, the key is wrong, or no version in it is
    ///   whole.
    /// - Complexity: O(n) in the size of the file. Takes a few bytes of memory for each object.
    public static func verify(
        _ configuration: Configuration = .defaultConfiguration, progress: (Double) -> Void = { _ in }
    ) throws -> VerificationReport {
        do throws(StoreError) {
            if let open = FileCoordinator.existing(path: configuration.path) {
                return VerificationReport(try open.store.verify(progress))
            }
            var options = ObjectStore.Options(inMemory: configuration.isInMemory, readOnly: !configuration.isInMemory)
            options.encryptionKey = configuration.encryptionKey.map { [UInt8]($0) }
            let store = try ObjectStore.open(path: configuration.path, options: options)
            return VerificationReport(try store.verify(progress))
        } catch {
            throw Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Reads the whole file of this Realm and reports everything in it that is damaged or contradicts itself.
    ///
    /// ```swift
    /// let report = try realm.verify()
    /// print("\(report.objectCount) objects, \(report.problemCount) problems")
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be read at all.
    public func verify(progress: (Double) -> Void = { _ in }) throws -> VerificationReport {
        instance.checkThread()
        do {
            return VerificationReport(try instance.coordinator.store.verify(progress))
        } catch {
            throw Error(error, fileURL: configuration.fileURL)
        }
    }
}
