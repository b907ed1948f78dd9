"""The library: domains, options, search, results; see CONTRIBUTING."""
