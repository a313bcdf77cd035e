"""`attribution explore`: the published file in a browser, read alone.

`question` is what is asked and how an address says it, `looking` asks the file, `page` shows it with Streamlit, which
only `page` and `serving` know.
"""
