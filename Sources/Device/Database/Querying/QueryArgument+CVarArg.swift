public import Foundation

// On Apple's systems these values become objects when they are written as `CVarArg`, which apps do in the arguments of
// a predicate. Here they are read as they are: a predicate never asks for the encoding. A C function such as
// `String(format:)` gets a null pointer.

extension ObjectId: CVarArg {
    /// No C function can print the value.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension Decimal128: CVarArg {
    /// No C function can print the value.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension ObjectBase: CVarArg {
    /// No C function can print the object.
    public final var _cVarArgEncoding: [Int] { [0] }
}

extension Date: @retroactive CVarArg {
    /// No C function can print the value.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension UUID: @retroactive CVarArg {
    /// No C function can print the value.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension Data: @retroactive CVarArg {
    /// No C function can print the value.
    public var _cVarArgEncoding: [Int] { [0] }
}
