package import CausewayModel
package import CausewayOperations

/// What a call of a back end asks for beside its operations.
///
/// A call differs from an upload of a device in three ways. It is applied as a whole or not at all. The record numbers
/// its changeset, because nobody sends it again under that number. And it is answered at once, so its refusals are in
/// the outcome and are not kept.
package struct CallTerms: Hashable, Sendable {
    /// Checked in the transaction that applies the call; if one does not hold, the call fails with `conflict`.
    package var expectations: [Expectation]
    /// Nil for a call that may be applied as often as it is made.
    package var receipt: Receipt?

    package init(expectations: [Expectation] = [], receipt: Receipt? = nil) {
        self.expectations = expectations
        self.receipt = receipt
    }

    package enum Expectation: Hashable, Sendable {
        /// The object lives this life; an even one stands for none.
        case life(ObjectReference, UInt32)
        /// No commit after the changeset's base has touched the object, or what is embedded in it.
        case untouched(ObjectReference)
    }

    /// What makes a call happen once, however often it is made.
    package struct Receipt: Hashable, Sendable {
        package var key: CallKey
        /// Tells another call that uses the same key by mistake.
        package var fingerprint: UInt64
        /// What a repetition is answered. The record does not look into it.
        package var answer: [UInt8]

        package init(key: CallKey, fingerprint: UInt64, answer: [UInt8]) {
            self.key = key
            self.fingerprint = fingerprint
            self.answer = answer
        }
    }
}

/// The name that a user has given a call.
package struct CallKey: Hashable, Sendable {
    package var user: ExactString
    package var key: ExactString

    package init(user: String, key: String) {
        self.user = ExactString(user)
        self.key = ExactString(key)
    }
}

/// What is known of a call that was committed.
package struct CallReceipt: Hashable, Sendable {
    package var fingerprint: UInt64
    /// The version that the call made.
    package var version: ServerVersion
    package var answer: [UInt8]

    package init(fingerprint: UInt64, version: ServerVersion, answer: [UInt8]) {
        self.fingerprint = fingerprint
        self.version = version
        self.answer = answer
    }
}

extension StoreFailure {
    /// The same sentence wherever it is found out.
    package static let callKeyReused = StoreFailure(
        .callKeyReused,
        "This key was used for another request. Draw a new key for each request, and use it again only to repeat that "
            + "request.")
}
