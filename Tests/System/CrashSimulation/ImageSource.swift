import CausewaySimulatedDisk

/// The crash images of one workload, in order: for each moment of its log every outcome, or a sample.
///
/// A moment just before a sync has the most to lose, so it gets the most images; all outcomes of the moments before it
/// are among its own, except that less may be lost there.
struct ImageSource {
    static let fewImages = 3
    /// One in so many images is also used, not only read.
    static let useInterval = 16

    let plan: WorkloadPlan
    let seed: UInt64
    let log: DiskLog
    /// How many images there are at most for one workload.
    var limit = Int.max

    /// Names one image of one workload.
    struct Recipe: Hashable, Sendable {
        var seed: UInt64
        var moment: Int
        var image: Int

        /// Who opens the image before its owner does.
        func otherProgram(_ disk: SimulatedDisk) -> OtherProgram {
            var random = SeededRandom(seed, 7, UInt64(moment), UInt64(image))
            return OtherProgram(&random, pages: disk.sizeBytes / 4096)
        }
    }

    /// Visits every image until the body answers false.
    func visit(_ body: (_ disk: SimulatedDisk, _ recipe: Recipe, _ depth: ImageCheck.Depth) -> Bool) {
        let replay = CrashReplay(log, capacityBytes: Workload.diskBytes)
        var count = 0
        for moment in 0...log.operations.count {
            replay.advance(to: moment)
            let images = replay.imageCount(limit: limit(at: moment), sample: sample(at: moment))
            for image in 0..<images {
                guard count < limit else { return }
                count += 1
                let recipe = Recipe(seed: seed, moment: moment, image: image)
                let disk = replay.image(image, limit: limit(at: moment), seed: seed)
                guard body(disk, recipe, depth(count)) else { return }
            }
        }
    }

    /// Makes one image again.
    func image(of recipe: Recipe) -> SimulatedDisk {
        let replay = CrashReplay(log, capacityBytes: Workload.diskBytes)
        replay.advance(to: min(recipe.moment, log.operations.count))
        return replay.image(recipe.image, limit: limit(at: recipe.moment), seed: seed)
    }

    private func depth(_ count: Int) -> ImageCheck.Depth { count % Self.useInterval == 0 ? .use : .content }

    private func limit(at moment: Int) -> Int { isBeforeSync(moment) ? plan.exhaustiveLimit : 0 }

    private func sample(at moment: Int) -> Int { isBeforeSync(moment) ? plan.sample : Self.fewImages }

    private func isBeforeSync(_ moment: Int) -> Bool {
        guard moment < log.operations.count else { return true }
        switch log.operations[moment] {
        case .synchronize, .synchronizeFirst, .settle: return true
        case .write, .resize: return false
        }
    }
}
