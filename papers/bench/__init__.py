"""The benchmark of difference tests: how its results were made, and the page and figure made of them."""
