# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.saving.assets import (
    Asset as Asset
)
from graphrt.saving.load import (
    LoadOptions as LoadOptions, contains_saved_model as contains_saved_model, load as load
)
from graphrt.saving.save import (
    SaveOptions as SaveOptions, save as save
)
