"""How many repetitions, examples, times or runs find a difference, by what the pilot is."""
