package import CausewayHTTP
package import CausewayJSON

extension HTTPAnswer {
    /// An answer in JSON, written piece by piece.
    package static func json(status: Int = 200, _ body: (inout JSONWriter) -> Void) -> HTTPAnswer {
        var writer = JSONWriter()
        body(&writer)
        return .json(writer.bytes, status: status)
    }
}

extension JSONWriter {
    package mutating func field(_ name: String, _ flag: Bool) {
        self.name(name)
        write(flag)
    }

    /// Leaves the member out where there is no text.
    package mutating func field(_ name: String, ifAny text: String?) {
        if let text { field(name, text) }
    }

    /// A point in time, from milliseconds since 1970. Left out where it is zero, which is never.
    package mutating func field(_ name: String, time milliseconds: UInt64) {
        if milliseconds > 0 { field(name, CalendarDate.text(ofMilliseconds: milliseconds)) }
    }
}
