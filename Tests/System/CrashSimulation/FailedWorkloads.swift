/// Seeds of workloads in which the store once failed. Each run of the crash simulation begins with them.
///
/// A seed stays here for as long as its workload is what it was: see ``WorkloadPlan``.
enum FailedWorkloads {
    static let seeds: [UInt64] = [
        // Headers that were cleared after a failed sync came back, over pages that were used for something else.
        689
    ]
}
