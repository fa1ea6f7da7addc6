package import CausewayOperations

/// The server says what happened to a list, set, map or text of an object, and that does not fit what this device has.
/// Nothing of the change may be applied: what the device has is to be compared with the server.
package struct UnfittingChange: Error {
    package let object: ObjectReference
    package let property: String

    package var message: String {
        "What the server says happened to \(object.className).\(property) does not fit what is in this file. The file is "
            + "compared with the server in the next session."
    }
}
