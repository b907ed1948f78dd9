"""Benchmarks of the kernel, on the games."""
