"""`attribution explore`: the published file in a browser, read alone.

`question` is what is asked and how an address says it, `looking` asks the file, `shown` words what it found; `page` and
`panels` draw that with Streamlit, which only they, `state` and `serving` know.
"""
