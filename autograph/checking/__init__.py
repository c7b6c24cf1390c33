"""Says, without running any code, what conversion makes of functions, and what would fail on staged values.

check_text("def f(xs):\\n  return [x for x in xs if x > 0]\\n", "demo.py").findings
-> [demo.py:2:29: AG414 the condition `x > 0` of a comprehension is tested by Python (write a loop, ...)]
"""

from autograph.checking.findings import Construct, Finding, FunctionReport, Report
from autograph.checking.module import check, check_text, unreadable

__all__ = ["Construct", "Finding", "FunctionReport", "Report", "check", "check_text", "unreadable"]
