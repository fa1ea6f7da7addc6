"""Writes arithmetic.txt: what Python's decimal module says of seeded cases of decimal128.

A line is an operation, its operands, and the result's sixteen bytes, high half first ("NaN" for any NaN).
Run it in this folder: python3 generate.py > arithmetic.txt
"""

import decimal
import random
import struct

CONTEXT = decimal.Context(
    prec=34, Emin=-6143, Emax=6144, clamp=1, rounding=decimal.ROUND_HALF_EVEN, traps=[])
decimal.setcontext(CONTEXT)
random.seed(128)


def bits(number):
    if number.is_nan():
        return "NaN"
    sign, digits, exponent = number.as_tuple()
    if number.is_infinite():
        return f"{(0x78 | sign << 7) << 120:032x}"
    coefficient = int("".join(map(str, digits)))
    return f"{sign << 127 | (exponent + 6176) << 113 | coefficient:032x}"


def digits(most=34):
    kind = random.randrange(6)
    count = random.randint(1, most)
    if kind == 0:
        return "9" * count
    if kind == 1:
        return "1" + "0" * (count - 1)
    if kind == 2:
        return "5" + "0" * (count - 1)
    return str(random.randrange(10**count))


def exponent():
    kind = random.randrange(10)
    if kind < 4:
        return random.randint(-8, 8)
    if kind < 7:
        return random.randint(-45, 45)
    if kind == 7:
        return random.randint(-6180, -6100)
    if kind == 8:
        return random.randint(6060, 6111)
    return random.randint(-6176, 6111)


def number():
    if random.randrange(25) == 0:
        return random.choice(["NaN", "Infinity", "-Infinity", "0", "-0", "0E+6111", "-0E-6176"])
    return ("-" if random.randrange(2) else "") + digits() + f"E{exponent():+d}"


def near(text):
    """Another number about as large, so that sums cancel and overlap."""
    value = decimal.Decimal(text)
    if not value.is_finite():
        return number()
    place = min(6111, max(-6176, value.as_tuple().exponent + random.randint(-40, 40)))
    return ("-" if random.randrange(2) else "") + digits() + f"E{place:+d}"


def pair():
    left = number()
    return left, near(left) if random.randrange(2) else number()


for name, operate in [
    ("add", CONTEXT.add), ("subtract", CONTEXT.subtract), ("multiply", CONTEXT.multiply), ("divide", CONTEXT.divide)
]:
    for _ in range(500):
        left, right = pair()
        left, right = CONTEXT.create_decimal(left), CONTEXT.create_decimal(right)
        print(name, left, right, bits(operate(left, right)))

for _ in range(300):
    # Not clamped, rounded or plain: every form a text may have.
    whole, part = digits(60), digits(60)
    text = random.choice([whole, whole + "." + part, "." + part, whole + "."])
    if random.randrange(2):
        text += random.choice(["e", "E"]) + random.choice(["", "+", "-"]) + str(random.choice([
            random.randrange(40), random.randrange(6300), 10**random.randrange(9)]))
    text = random.choice(["", "+", "-"]) + text
    print("read", text, bits(CONTEXT.create_decimal(text)))

for _ in range(200):
    value = CONTEXT.create_decimal(number())
    print("write", value, bits(value))

for _ in range(200):
    left, right = pair()
    left, right = CONTEXT.create_decimal(left), CONTEXT.create_decimal(right)
    order = CONTEXT.compare(left, right)
    print("compare", left, right, "NaN" if order.is_nan() else int(order))

for _ in range(300):
    pattern = random.getrandbits(64) if random.randrange(2) else struct.unpack(
        "<Q", struct.pack("<d", random.choice([-1, 1]) * random.uniform(0, 10**random.randrange(-3, 18))))[0]
    value = struct.unpack("<d", struct.pack("<Q", pattern))[0]
    print("double", f"{pattern:016x}", bits(CONTEXT.create_decimal(decimal.Decimal(value))))
