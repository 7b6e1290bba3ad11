"""
Names in sentences: which tag set?
==================================

A tagger marks chunks (names, words, phrases) by one tag per token. ``IOB2`` says where a chunk
begins; ``IOBES`` also says where it ends and whether it has one token only. Is the finer tag set
worth it? Units are sentences, scores are precision, recall and F1 of whole chunks.
"""

import numpy as np
from sklearn.naive_bayes import BernoulliNB

import evenfold as ef

# %% Made-up news: every document has its own three names, which come back in most of its sentences.
# Sentences begin with a capital too, so a capital alone does not give a name away.

rng = np.random.default_rng(2)
syllables = ["ba", "lo", "mi", "ren", "tu", "sa", "ko", "vi"]


def invented(*, capital: bool) -> str:
    """Make up a word."""
    word = "".join(rng.choice(syllables, size=rng.integers(1, 4)))
    return word.capitalize() if capital else word


sentences, tags, document = [], [], []
for d in range(60):
    names = [[invented(capital=True) for _ in range(rng.integers(1, 4))] for _ in range(3)]
    for _ in range(5):
        words, marks = [invented(capital=True)], ["O"]  # a sentence begins with a capital anyway
        for _ in range(rng.integers(1, 4)):
            before = [invented(capital=False) for _ in range(rng.integers(1, 4))]
            name = names[rng.integers(3)]
            words += before + name
            marks += ["O"] * len(before) + ["B-PER"] + ["I-PER"] * (len(name) - 1)
        sentences.append(words)
        tags.append(marks)
        document.append(d)
print(" ".join(f"{word}/{tag}" for word, tag in zip(sentences[0], tags[0], strict=True)))

# %% An algorithm that trains on a tag set of its own: tags are translated before the fit, and
# predictions back after it, so both are scored on the same chunks. A conditional random field goes
# in the same place (``ef.text.CRFTagger``, with ``pip install 'evenfold[text]'``); here each token
# is judged alone.

tagger = ef.text.TokenTagger(BernoulliNB(alpha=0.1))
algorithms = {scheme: ef.text.TagScheme(tagger, scheme) for scheme in ("IOB2", "IOBES")}

# %% Every half should get the same share of tags, frequent words, short and long sentences; and
# documents should not be cut, or the tagger meets in the test the very names that it has learned.

features = ef.design.text_features(sentences, tags)
whole = ef.Mx2BCV(3, balance=("groups", "features"), random_state=0)
c = ef.compare(
    algorithms,
    sentences,
    tags,
    measure="f1",
    design=whole,
    groups=document,
    features=features,
    random_state=0,
)
print(c.verdict)
print(f"F1 of IOB2: {c.losses.values[0].mean():.3f}")

# %% What if sentences are dealt without regard to documents? The scores get better. Nothing has
# been learned about new documents.

cut = ef.compare(algorithms, sentences, tags, measure="f1", features=features, random_state=0)
print(f"F1 of IOB2, documents cut: {cut.losses.values[0].mean():.3f}")

# %% How even are the halves? χ²/L of the worst split: near 0 where sentences can be dealt one by
# one, less even where whole documents, each with words of its own, have to be.

random = ef.design.Mx2(3, random_state=0).partition(len(sentences))
print(f"balanced, documents whole:  {c.partition.certificate.chi_square:.2f}")
print(f"balanced, sentences:        {cut.partition.certificate.chi_square:.2f}")
print(
    "random:                     "
    f"{max(ef.design.chi_square(features, *split) for split in random):.2f}"
)

# %% A tagger that judges token by token breaks the rules of its tag set. Scorers differ in what
# they make of that: a strict one drops such chunks, conlleval begins one wherever the type changes.

broken = [["B-PER", "I-PER", "O", "I-PER"]]
for illegal in ("drop", "repair"):
    print(illegal, ef.text.convert_tags(broken, "IOB2", "IOBES", illegal=illegal))

# %%
# The posterior of both scores. ``c.to_html("tags.html")`` has it with everything else.

figure = c.plot()
