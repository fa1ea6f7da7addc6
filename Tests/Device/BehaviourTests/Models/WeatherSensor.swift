import Causeway

class WeatherSensor: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var deviceId: String
    @Persisted var temperatureInFahrenheit: Float
    @Persisted var barometricPressure: Float
    @Persisted var windSpeed: Int
}

/// An asymmetric object with everything it may hold beside plain values.
class WeatherStation: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var address: Address?
    @Persisted var formerAddresses: List<Address>
    @Persisted var keeper: DogToy?
    @Persisted var toys: List<DogToy>
}
