"""What went wrong with an object store, in words: where, what, what to do, and nothing that is secret."""

from __future__ import annotations

import os
import re

from schemas.faults import Fault

_SECRET_NAME = re.compile(r"(?i)secret|token|password|credential|sas|_key")
_SECRET_LONG = 6
_SECRET_TEXT = re.compile(
    r"(?i)((?:signature|sig|credential|token|password|secret|key(?:_?id)?)[=:]\s*\"?)[^&\s\",<>]+"
)
_SHOWN = 300
_KEYS = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN), or run on a machine with a role.",
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run on a machine with a service account.",
    "az": "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or run on a machine with an identity.",
}
_PLACES = {
    "s3": "Check its name, and that AWS_REGION (and AWS_ENDPOINT_URL) are the bucket's.",
    "gs": "Check its name.",
    "az": "Check its name, and that AZURE_STORAGE_ACCOUNT_NAME is its account.",
}
_AGAIN = dict.fromkeys(_KEYS, "Run again.")
_RIGHTS = dict.fromkeys(_KEYS, "The credentials must be valid, and allowed to list the bucket and to get its objects.")
# Words or classes of errors -> what to say, what to do; the first that fits. `{}` is what the store said.
_CAUSES = (
    (r"^PreconditionError", "it changed while it was fetched", _AGAIN),
    (r"NoSuchBucket|ContainerNotFound|bucket does not exist", "there is no such bucket", _PLACES),
    (r"PermanentRedirect|\b301 Moved", "the bucket is in another region", _PLACES),
    (r"^FileNotFoundError|NoSuchKey|BlobNotFound", "it was listed and is no longer there", _AGAIN),
    (r"token request|169\.254\.|metadata\.google|Account must be", "no credentials were found ({})", _KEYS),
    (r"^PermissionDenied|^Unauthenticated|\b40[13] ", "access is denied ({})", _RIGHTS),
    (r"\b404 ", "there is no such bucket ({})", _PLACES),
    (r"", "the object store cannot be reached or answers with an error ({})", _AGAIN),
)


def fault_of(error: Exception, scheme: str, where: str) -> Fault:
    """What an error of an object store means.

    Args:
        error: as the library raised it.
        scheme: `s3`, `gs` or `az`.
        where: the bucket or object.
    """
    text = f"{type(error).__name__} {error}"
    what, hints = next((what, hints) for marks, what, hints in _CAUSES if re.search(marks, text))
    return Fault(where, what.format(_told(str(error))), hint=hints[scheme])


def _told(text: str) -> str:
    """What the store said, in a line."""
    text = text.split("\n\nDebug source", maxsplit=1)[0]
    code, message = re.search(r"<Code>(.*?)</Code>", text), re.search(r"<Message>(.*?)</Message>", text)
    if code:
        text = code[1] + (f": {message[1]}" if message else "")
    for name, value in os.environ.items():
        if _SECRET_NAME.search(name) and len(value) >= _SECRET_LONG:
            text = text.replace(value, "***")
    text = _SECRET_TEXT.sub(r"\1***", " ".join(text.split()))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " ..."
