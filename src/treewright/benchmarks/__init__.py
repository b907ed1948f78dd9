"""What ``treewright bench`` runs: ratios measured side by side, and the search's signature."""
