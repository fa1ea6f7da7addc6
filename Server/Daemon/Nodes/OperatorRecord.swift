import CausewayConversion
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated

/// A database as operators change it: the record of a server alone, or one that all nodes follow.
protocol OperatorRecord: Sendable {
    func drop(_ className: String, property: String?) throws(StoreFailure)

    func convert(_ wanted: PropertyConversion) throws(StoreFailure) -> ConversionReport

    func forget(_ client: ClientID) throws(StoreFailure) -> ForgottenClient?

    func maintain(at time: UInt64) throws(StoreFailure) -> Bool
}

extension StoreEmbedded: OperatorRecord {}

extension StoreReplicated: OperatorRecord {}
