package import CausewayJSON
package import CausewayFeed
package import CausewayModel

/// Carries one-way objects to some place, each exactly once as far as the place can tell, and remembers how far it is.
///
/// The calls come one at a time.
package protocol Sink: Sendable {
    /// Opens the place.
    ///
    /// - Returns: the number of the last arrival that is there; everything after it comes again.
    func open() async throws(SinkFailure) -> UInt64
    /// Makes objects durable at the place, and with them the position behind them.
    func take(_ batch: SinkBatch) async throws(SinkFailure)
    /// Called while nothing comes, about every second.
    func rest() async throws(SinkFailure)
    /// Called when nothing comes any more, and before the place is opened again.
    func close() async
}

/// One-way objects in the order of their arrival.
package struct SinkBatch: Sendable {
    /// The position before it, and behind it. Between the objects there are gaps.
    package var after: UInt64
    package var through: UInt64
    package var rows: [SinkRow]
    package var schema: Schema

    package init(after: UInt64, through: UInt64, rows: [SinkRow], schema: Schema) {
        self.after = after
        self.through = through
        self.rows = rows
        self.schema = schema
    }
}

package struct SinkRow: Sendable {
    package var sequence: UInt64
    /// When the server received it, in milliseconds since 1970; zero where that was not noted.
    package var time: UInt64
    package var key: PrimaryKey
    package var values: ObjectValues

    package init(sequence: UInt64, time: UInt64, key: PrimaryKey, values: ObjectValues) {
        self.sequence = sequence
        self.time = time
        self.key = key
        self.values = values
    }

    /// One object as a line of JSON; SINKS.md has the fields.
    package func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("sequence", sequence)
            if time > 0 { json.field("time", DateText.text(milliseconds: time)) }
            json.field("class", values.className)
            json.name("object")
            json.write(values)
        }
    }
}

/// Why a sink or a webhook could not go on: what happened, its cause, and the remedy. It has no value of any object in it.
package struct SinkFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String

    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
