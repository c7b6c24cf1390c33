# Written by tests/stubs.py from graphrt/api/exports.py.
"""Numbers, distributions, images, texts and graphs for TensorBoard."""
from graphrt.summaries.graphs import (
    graph as graph, trace_export as trace_export, trace_off as trace_off, trace_on as trace_on
)
from graphrt.summaries.kinds import (
    audio as audio, histogram as histogram, image as image, scalar as scalar, text as text
)
from graphrt.summaries.writers import (
    SummaryWriter as SummaryWriter, create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer, flush as flush, record_if as record_if,
    should_record_summaries as should_record_summaries, write as write
)
from graphrt.api import summary_experimental as summary_experimental
experimental = summary_experimental
