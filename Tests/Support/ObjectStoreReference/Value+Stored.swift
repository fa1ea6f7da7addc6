package import CausewayModel

extension Value {
    /// As the store keeps it: every NaN is the same one.
    package var stored: Value {
        switch self {
        case .float(let value) where value.isNaN: .float(.nan)
        case .double(let value) where value.isNaN: .double(.nan)
        default: self
        }
    }
}
