/// What a conversion did, or would do. It counts, and never has values.
package struct ConversionReport: Hashable, Sendable {
    /// What the property is, in words, and what it will be.
    package var from: String
    package var to: String
    /// The objects of the class.
    package var objects = 0
    /// The objects whose value does not fit, by the reason.
    package var misfits: [Misfit: Int] = [:]
    /// Whether it is converted.
    package var isConverted = false

    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    package var misfitCount: Int { misfits.values.reduce(0, +) }
}
