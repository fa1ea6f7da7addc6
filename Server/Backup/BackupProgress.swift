/// How far a backup or restore is.
package struct BackupProgress: Hashable, Sendable {
    package enum Step: String, Hashable, Sendable {
        case copying
        case verifying
        case hashing
    }

    package var step: Step
    /// The name of the file in the backup.
    package var file: String
    /// From 0 to 1, of this step.
    package var done: Double
}

/// How much a backup may take from those that the server serves meanwhile, and when it is given up.
package struct BackupPace: Sendable {
    /// How many bytes a second are copied at most; nil for as many as the disk takes.
    package var bytesPerSecond: Int?
    /// Asked between parts. When it says true, the backup is given up and leaves nothing behind.
    package var isAbandoned: @Sendable () -> Bool

    /// A gigabyte takes half a minute, and the disk is left to others for most of the time.
    package static let bytesPerSecondStandard = 32 << 20

    package init(
        bytesPerSecond: Int? = bytesPerSecondStandard, isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) {
        self.bytesPerSecond = bytesPerSecond
        self.isAbandoned = isAbandoned
    }

    func throwIfAbandoned() throws(BackupError) {
        if isAbandoned() { throw BackupError(.abandoned, "The backup was given up before it was whole.") }
    }
}
