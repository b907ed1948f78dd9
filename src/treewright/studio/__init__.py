"""The studio: a local web application in which everything that the applications make can be made,
looked at, changed, played and exported.  A thin shell: the pages are the applications' own.
"""
