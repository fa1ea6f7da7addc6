/// Something the storage leaves out on purpose, so that tests can show that they would notice.
package enum StorageMutation: String, Sendable, CaseIterable {
    /// Recovery believes every header whose own checksum fits, without looking at the pages below it.
    case trustHeaders = "trust-headers"
    /// Recovery looks at nodes only, as if checksums skipped the pages of runs.
    case skipRuns = "skip-runs"
    /// Pages of the states that a power loss may bring back are written anew.
    case reuseFallbacks = "reuse-fallbacks"
    /// A commit syncs without waiting for the sync of somebody else.
    case overlapSyncs = "overlap-syncs"
    /// A state that does not fit into the map counts as torn.
    case mapBoundsStates = "map-bounds-states"
    /// A header of a newer format counts as damaged.
    case ignoreNewerFormats = "ignore-newer-formats"
    /// Whoever opened the file read-only vouches for it when he closes it.
    case changeReadOnly = "change-read-only"
    /// Whether a key is the file's is not asked.
    case takeAnyKey = "take-any-key"
    /// A header that finds no room makes the file unusable.
    case poisonFullDisk = "poison-full-disk"
}
