"""What the second client checks, scenario by scenario."""

from .carrier import CARRIER
from .copies import COPIES
from .resync import RESYNC
from .sessions import SESSIONS
from .values import VALUES
from .vectors import VECTORS

SCENARIOS = [*VECTORS, *CARRIER, *SESSIONS, *VALUES, *RESYNC, *COPIES]
