/// How long a request may take before it counts as lost: the time of an answer, and longer the more it carries.
///
/// Conversation and transport use the same time: the less patient one would cut what the other waits for.
package enum RequestTime {
    /// The slowest network for which a request is given enough time.
    package static let slowestBytesPerSecond: UInt64 = 8 << 10
    /// What sending may take at most, whatever the size: a little less than the ten minutes that a server gives a body
    /// (`EndpointLimits.bodyMilliseconds`), so that the answer may still come.
    package static let sendingMillisecondsMax: UInt64 = 540_000

    package static func milliseconds(bytes: Int, answerMilliseconds: UInt64) -> UInt64 {
        // More bytes than that take the most anyway, and the product fits.
        let bytes = min(UInt64(clamping: bytes), sendingMillisecondsMax * slowestBytesPerSecond / 1_000)
        let (sum, overflow) = answerMilliseconds.addingReportingOverflow(bytes * 1_000 / slowestBytesPerSecond)
        return overflow ? .max : sum
    }
}
