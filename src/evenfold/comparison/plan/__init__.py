"""How many repetitions, examples, times or runs it takes to find a difference, by what the pilot is."""
