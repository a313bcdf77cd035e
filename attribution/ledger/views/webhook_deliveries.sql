-- One finding sent, or about to be sent, to one webhook.
SELECT w.hook, w.fingerprint, f.kind, f.subject, w.state, w.changed_at, w.error
FROM book.webhook_sends AS w LEFT JOIN book.findings AS f USING (fingerprint)
