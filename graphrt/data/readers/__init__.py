"""What begins a pipeline: files, arrays, numbers, generators; a file each, with its op and the public name."""

from graphrt.data.methods import import_all

import_all(__name__, __path__)
