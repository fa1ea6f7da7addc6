public import Foundation

// The types that the operators of a query accept. Properties of other types have only == and !=.

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension AnyRealmValue: _QueryText, _QueryWords {}
extension String: _QueryText, _QueryWords {}
extension Data: _QueryText {}

extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}
extension Optional: _QueryText where Wrapped: _QueryText {}
extension Optional: _QueryWords where Wrapped: _QueryWords {}
