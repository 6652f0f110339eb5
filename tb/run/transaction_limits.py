# SPDX-License-Identifier: Apache-2.0
"""Limits of the transactions of a bus port: how long each takes, and how much is moved."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.transactions import Transactions

BENCH_MEMORY = "its latency is that of the memory behind it, which the bench chooses; limit its MB/s"


class TransactionLimits(BaseModel):
    """Limits of one memory-mapped port.

    Attributes:
        max_read_ns, max_write_ns: longest time from the first offer of the address to the last data or the response.
        max_mean_read_ns, max_mean_write_ns: largest average of the same.
        max_first_read_ns: longest time from the first offer of an address to its first read data.
        min_read_mb_per_s, min_write_mb_per_s: lowest throughput from the first address to the end of the last transaction,
            in millions of bytes per second. Strobes are ignored.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    max_read_ns: float | None = Field(default=None, ge=0)
    max_write_ns: float | None = Field(default=None, ge=0)
    max_mean_read_ns: float | None = Field(default=None, ge=0)
    max_mean_write_ns: float | None = Field(default=None, ge=0)
    max_first_read_ns: float | None = Field(default=None, ge=0)
    min_read_mb_per_s: float | None = Field(default=None, gt=0)
    min_write_mb_per_s: float | None = Field(default=None, gt=0)

    def given(self) -> dict[str, float]:
        """The limits that the file sets, by name."""
        return {name: value for name, value in self if value is not None}


def check_transaction_ports(
    limits: Mapping[str, TransactionLimits], buses: Mapping[str, str], subject: str, where: str = ""
) -> None:
    """Refuse limits of ports that are not there, and latencies of masters.

    Args:
        limits: by port.
        buses: ``in`` or ``out`` by bus port of what is signed off.
        subject: its name, for the message.
        where: the limits file before the message.

    Raises:
        UsageError: such a limit.
    """
    for name, table in limits.items():
        if name not in buses:
            known = ", ".join(buses) or "none (a file has none, nor has a run of an older version)"
            raise UsageError(
                f"{where}limits of transactions for unknown port {name!r}; bus ports of {subject}: {known}"
            )
        late = next((n for n in table.given() if n.startswith("max_")), None)
        if late is not None and buses[name] == "out":
            raise UsageError(f"{where}transactions.{name}.{late}: {name} is a master of the design: {BENCH_MEMORY}")


def measured_transactions(found: Transactions | None, limit: str) -> tuple[float | None, str]:
    """What an episode's transactions say of a limit: the value, or None and why there is none."""
    if found is None:
        return None, "no traffic, or its cycles were not counted"
    write = "write" in limit
    if limit.startswith("min_"):
        value = found.mb_per_s(write=write)
    else:
        took = found.latencies(write=write, first=limit == "max_first_read_ns")
        value = float(took.mean() if "mean" in limit else took.max()) if len(took) else None
    return value, "" if value is not None else f"no {'write' if write else 'read'} has ended"
