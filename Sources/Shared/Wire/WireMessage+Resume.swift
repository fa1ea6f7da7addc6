import CausewayModel

extension StagedView {
    init(_ envelope: EnvelopeStaged) throws(SyncFailure) {
        self.init(point: ResumePoint(envelope.reached), queries: try QuerySet(envelope.queries))
    }
}

extension EnvelopeStaged {
    init(_ staged: StagedView) {
        self.init()
        reached = EnvelopeResumePoint(staged.point)
        queries = EnvelopeQuerySet(staged.queries)
    }
}

extension ResumePoint {
    init(_ envelope: EnvelopeResumePoint) {
        self.init(
            checkpoint: Checkpoint(envelope.checkpoint),
            reached: RowPosition(className: envelope.className, row: ObjectKey(envelope.row)))
    }
}

extension EnvelopeResumePoint {
    init(_ point: ResumePoint) {
        self.init()
        checkpoint = EnvelopeCheckpoint(point.checkpoint)
        className = point.reached.className
        row = point.reached.row.rawValue
    }
}
