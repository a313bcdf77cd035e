"""Detail bills of the clouds of China."""
