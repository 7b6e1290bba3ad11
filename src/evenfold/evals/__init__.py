"""
Evaluations of models and agents: leaderboards, loops of proposals, logs of evaluation programs.

Nothing else imports this package. It adds its readers, formats, commands and answers to the same
shelves as other packages do; :mod:`evenfold.core.registry` announces them.
"""
