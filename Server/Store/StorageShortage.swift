import CausewayLimits

/// Why nothing may be added to a record: it takes as many bytes as the operator allows.
package struct StorageShortage: Hashable, Sendable {
    package var usedMebibytes: UInt64
    package var mebibytesMax: UInt64

    package init(usedMebibytes: UInt64, mebibytesMax: UInt64) {
        self.usedMebibytes = usedMebibytes
        self.mebibytesMax = mebibytesMax
    }

    /// After how long a device comes again that found no room: somebody has to make some first.
    package static let waitMilliseconds: UInt64 = 300_000

    package var failure: StoreFailure {
        StoreFailure(
            LimitReached(
                .storageMegabytes, value: Int(clamping: mebibytesMax), waitMilliseconds: Self.waitMilliseconds),
            "The database takes \(usedMebibytes) of the \(mebibytesMax) MiB that it may "
                + "(limits.storageMegabytes). Deletes are taken, and nothing that is unsent is lost. Delete what is not "
                + "needed, or raise the limit.")
    }
}
