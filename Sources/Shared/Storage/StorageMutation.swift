/// A rule that the storage breaks on purpose, so that tests can show that they notice.
package enum StorageMutation: String, Sendable, CaseIterable {
    /// Recovery accepts every header whose own checksum fits, without checking the pages below it.
    case trustHeaders = "trust-headers"
    /// Recovery checks nodes only, and not the pages of runs.
    case skipRuns = "skip-runs"
    /// Commits overwrite pages of states that a power loss may bring back.
    case reuseFallbacks = "reuse-fallbacks"
    /// A commit syncs without waiting for another sync to end.
    case overlapSyncs = "overlap-syncs"
    /// A state that does not fit into the map counts as torn.
    case mapBoundsStates = "map-bounds-states"
    /// A header of a newer format counts as damaged.
    case ignoreNewerFormats = "ignore-newer-formats"
    /// A process that opened the file read-only writes a header when it closes the file.
    case changeReadOnly = "change-read-only"
    /// Opening does not check that a key is the file's.
    case takeAnyKey = "take-any-key"
    /// A header that cannot be written because the disk is full makes the file unusable.
    case poisonFullDisk = "poison-full-disk"
    /// What a header carries is lost when the next commit writes pages.
    case dropCarried = "drop-carried"
}
