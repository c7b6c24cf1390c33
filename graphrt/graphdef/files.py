"""Which nodes of an imported graph would read or write files: they are refused unless files were allowed."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.ir.graph import Value, static_value

_READERS = frozenset({
    "ReadFile", "MatchingFiles", "MatchingFilesDataset", "TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2",
    "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2", "CSVDataset", "CSVDatasetV2", "LoadDataset",
    "InitializeTableFromTextFile", "InitializeTableFromTextFileV2", "Restore", "RestoreV2", "WholeFileReaderV2",
    "_LoadDataset",
})  # fmt: skip
_WRITERS = frozenset({
    "WriteFile", "Save", "SaveV2", "SaveDataset", "SaveDatasetV2", "SnapshotDataset", "SnapshotDatasetV2",
    "MergeV2Checkpoints", "_SaveDataset", "_SnapshotDataset",
})  # fmt: skip


def refuse_files(op_type: str, inputs: list[Value], attrs: dict[str, Any], what: str) -> None:
    """Refuses a node of type `op_type`, called `what`, that opens files.

    Raises:
      PermissionDeniedError: it does.
    """
    if op_type in _READERS:
        does = "reads files"
    elif op_type in _WRITERS:
        does = "writes files"
    elif op_type in ("CacheDataset", "CacheDatasetV2") and not _is_empty(inputs[1]):
        does = "keeps elements in a file"
    elif op_type == "PrintV2" and _text(attrs.get("output_stream")).startswith("file:"):
        does = f"prints into {_text(attrs['output_stream'])!r}"
    else:
        return
    raise errors.PermissionDeniedError(
        None, None,
        f"{what} of the GraphDef {does}, and a GraphDef may come from anywhere. If you trust this one, say "
        "import_graph_def(..., allow_files=True).",
    )  # fmt: skip


def _is_empty(value: Value) -> bool:
    known = static_value(value)
    return known is not None and known.size == 1 and _text(known.item()) == ""


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
