"""
Exact fast paths: the numbers of refitting scikit-learn, without the refits, on NumPy or a GPU.

Linear models and Gaussian naive Bayes go through sums over training sets, nearest neighbours
through one distance matrix; whatever is nearly singular is refitted by scikit-learn. Trees, the
lasso and logistic regression are written once for every array library, and once more as kernels for
the processor, which are used where Numba is installed.
"""

from evenfold_lab.fast.classification import LDA, GaussianNB, OLSClassifier
from evenfold_lab.fast.neighbours.knn import KNN
from evenfold_lab.fast.neighbours.triangular import TriangularKNN
from evenfold_lab.fast.networks import MLP, Perceptron
from evenfold_lab.fast.penalized import Lasso, Logistic
from evenfold_lab.fast.regression import OLS, Line, Mean, Ridge
from evenfold_lab.fast.svm import SVM
from evenfold_lab.fast.trees.tree import Forest, SplusTree, Tree

__all__ = [
    "KNN",
    "LDA",
    "MLP",
    "OLS",
    "SVM",
    "Forest",
    "GaussianNB",
    "Lasso",
    "Line",
    "Logistic",
    "Mean",
    "OLSClassifier",
    "Perceptron",
    "Ridge",
    "SplusTree",
    "Tree",
    "TriangularKNN",
]
