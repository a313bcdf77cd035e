"""New findings to webhooks. A hook that fails is told and tried again the next night; the night goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from attribution.ledger.sends import note_sends, plan_sends
from attribution.reports.webhooks import Sent, body_of, headers_of, send
from flows.running import Run, now
from schemas.findings import SEVERITIES
from schemas.workspace import Webhook


def notify(run: Run) -> None:
    """Send each webhook the findings that stand open and did not go to it yet, in one request."""
    for hook in run.workspace.webhooks:
        found = [row for row in plan_sends(run.ledger, hook.name, now()) if _asked(hook, row)]
        if not found:
            continue
        note_sends(run.ledger, hook.name, found, "planned", at=now())
        done = _deliver(hook, found, run)
        note_sends(run.ledger, hook.name, found, done.outcome, at=now(), error=done.error or None)
        run.counts[f"webhook_{done.outcome}"] = run.counts.get(f"webhook_{done.outcome}", 0) + len(found)
        if done.outcome != "sent":
            run.watch(f"webhook {hook.name}: {len(found)} findings, {done.outcome}: {done.error}", 0, 0)


def _deliver(hook: Webhook, found: list[dict[str, Any]], run: Run) -> Sent:
    url = hook.url or os.environ.get(hook.url_env or "", "")
    secret = os.environ.get(hook.secret_env) if hook.secret_env else None
    if not url:
        return Sent("failed", 0, f"the variable {hook.url_env} holds no address")
    if hook.secret_env and not secret:
        return Sent("failed", 0, f"the variable {hook.secret_env} holds no secret, and unsigned it is not sent")
    body = body_of(hook, found, run.as_of)
    return send(url, body, headers_of(body, secret, now()), hook.timeout)


def _asked(hook: Webhook, row: Mapping[str, Any]) -> bool:
    """Whether a hook wants a finding; one of unknown severity counts as low."""
    levels = [*reversed([level for level in SEVERITIES if level != "unknown"])]
    level = levels.index(row["severity"]) if row["severity"] in levels else 0
    return (
        level >= levels.index(hook.severity)
        and (not hook.kinds or row["kind"] in hook.kinds)
        and hook.owner in (None, row["owner"])
    )
