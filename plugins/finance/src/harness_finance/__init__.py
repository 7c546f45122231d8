"""Financial prediction: forecast a company's next statements so that every identity and item is right."""

from harness_finance.accounts import Balance, CashFlow, Entries, Income, Statements, close_books, residuals
from harness_finance.company import Plan, Year, advance

__all__ = [
    "Balance",
    "CashFlow",
    "Entries",
    "Income",
    "Plan",
    "Statements",
    "Year",
    "advance",
    "close_books",
    "residuals",
]
