"""`attribution explain`: from any figure down to the charges, and from a charge up to everyone who pays for it.

Answered from the published file, its stored provenance and the same rules; a run that is writing is never waited for.
"""
