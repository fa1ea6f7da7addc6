package import CausewayFiles

/// An import of documents of MongoDB into a new file, or into a local or synced one that is there. ATLAS.md tells the rules.
package struct AtlasImport {
    /// What becomes of a value that its property cannot hold.
    package enum Unmapped: String, CaseIterable, Sendable {
        /// Nothing is imported.
        case fail
        /// The property is null, or zero where null is not allowed.
        case null
    }

    private let format: DocumentFormat
    private let planner: AtlasPlanner
    let existing: ObjectImport.Existing
    let missingLinks: ObjectImport.MissingLinks
    let unmapped: Unmapped

    /// - Parameters:
    ///   - className: of the documents of one file; nil to take the title of their schema, or the file's name.
    ///   - schemaFolder: the folder with the schema that App Services exported.
    package init(
        _ format: DocumentFormat, className: String? = nil, schemaFolder: String? = nil,
        existing: ObjectImport.Existing = .fail, missingLinks: ObjectImport.MissingLinks = .null,
        unmapped: Unmapped = .fail
    ) {
        self.format = format
        planner = AtlasPlanner(format: format, className: className, schemaFolder: schemaFolder)
        self.existing = existing
        self.missingLinks = missingLinks
        self.unmapped = unmapped
    }

    /// Finds out what becomes of what. Writes nothing.
    ///
    /// - Parameters:
    ///   - source: a file of documents, or a folder of them.
    ///   - path: the file that they are for, if there is one already: what its classes say counts.
    ///   - key: opens that file.
    ///   - progress: told how many documents were read.
    package func plan(
        from source: String, for path: String? = nil, key: [UInt8]? = nil, progress: (Int) -> Void = { _ in }
    ) throws -> AtlasPlan {
        try FileFailure.orNothing {
            let known = try path.flatMap { try ImportTarget.look($0, key: key) }
            let plan = try planner.plan(source, progress: progress)
            guard let known else { return plan }
            let fitted = plan.fitted(to: known.schema)
            try known.check(fitted.schema)
            return fitted
        }
    }

    /// Imports all documents, or throws; the failure says if anything was imported.
    ///
    /// - Parameters:
    ///   - path: the file; made if it is not there.
    ///   - key: opens the file, or encrypts a new one.
    ///   - progress: told how many documents were read, of both passes, and how many objects a synced file then got.
    package func run(
        _ plan: AtlasPlan, to path: String, key: [UInt8]?, progress: (Int) -> Void = { _ in }
    ) throws -> AtlasReport {
        try ImportTarget.change(path, key: key, progress: progress) { writing in
            let run = AtlasRun(plan, format, writing, self)
            try run.perform(progress)
            return run.report
        }
    }
}
