"""Searching any domain in the studio: one search as a job, its tree, and its steps one by one."""
