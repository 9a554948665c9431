from . import draws as draws
from . import paths as paths
from . import payments as payments
from . import structure as structure
from . import tickets as tickets
from . import tunnels as tunnels
