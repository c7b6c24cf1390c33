"""What datasets become: a file a method of `Dataset`, with its iterator, its op and the method itself."""

from graphrt.data.methods import import_all

import_all(__name__, __path__)
