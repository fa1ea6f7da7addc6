/// A reading of a clock that never goes back, in milliseconds. Its zero means nothing.
package struct Moment: Hashable, Comparable, Sendable {
    package var milliseconds: UInt64

    package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Moment, right: Moment) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (moment: Moment, milliseconds: UInt64) -> Moment {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        return Moment(milliseconds: overflow ? .max : sum)
    }
}
