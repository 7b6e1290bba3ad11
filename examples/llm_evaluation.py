"""
An LLM evaluation: questions in clusters, several samplings
===========================================================

Two models answer 400 questions about 80 texts, five to a text, four times each. Questions about one
text are easy or hard together, and a model that samples does not answer alike twice. Both belong in
the interval: the plain paired test knows neither.
"""

import numpy as np
import pandas as pd

import evenfold as ef

rng = np.random.default_rng(0)
texts, questions, samplings = 80, 5, 4
text = np.repeat(np.arange(texts), questions)
hard = rng.normal(size=texts)[text] + 0.7 * rng.normal(size=texts * questions)


def answers(model: str, skill: float) -> pd.DataFrame:
    """Draw right and wrong answers of a model, one row per question and sampling."""
    # each model has texts of its own that it misreads
    understands = 0.6 * rng.normal(size=texts)[text]
    luck = 0.8 * rng.normal(size=(samplings, texts * questions))
    return pd.DataFrame(
        {
            "algorithm": model,
            "example": np.tile(np.arange(texts * questions), samplings),
            "group": np.tile(text, samplings),
            "run": np.repeat(np.arange(samplings), texts * questions),
            "value": (skill + understands - hard + luck > 0).ravel(),
        }
    )


table = pd.concat([answers("small", 0.2), answers("large", 0.45)])

# %%
# What varied is read off the columns: examples, groups of them, and runs.

c = ef.judge(table, baseline="small", measure="accuracy")
print(c)

# %%
# Without ``group`` and ``run`` the same numbers look far more certain than they are.

mean = table.groupby(["algorithm", "example"], as_index=False).value.mean()
naive = ef.judge(mean, baseline="small", measure="accuracy")
low, high = c.estimate.confidence_interval()
short, long_ = naive.estimate.confidence_interval()
print(f"clusters and samplings: {low:.3f} to {high:.3f}")
print(f"taken for independent:  {short:.3f} to {long_:.3f}")
