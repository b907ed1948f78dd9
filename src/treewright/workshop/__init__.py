"""What serves all applications: experiments, tuning, benchmarks, the gallery, pages, commands."""
