"""
Evaluations of models and agents: leaderboards, loops of proposals, logs of evaluation programs.

Nothing else imports this package. It registers its readers, formats and commands in the same
registries as other packages do; :mod:`evenfold.core.registry` announces them.
"""
