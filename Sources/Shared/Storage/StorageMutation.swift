/// Something the storage leaves out on purpose, so that tests can show that they would notice.
package enum StorageMutation: String, Sendable, CaseIterable {
    /// Recovery believes every header whose own checksum fits, without looking at the pages below it.
    case trustHeaders = "trust-headers"
    /// Recovery looks at nodes only, as if checksums skipped the pages of runs.
    case skipRuns = "skip-runs"
    /// Pages of the states that a power loss may bring back are written anew.
    case reuseFallbacks = "reuse-fallbacks"
}
