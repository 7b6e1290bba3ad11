import pickle
from copy import deepcopy

from evenfold.core.partition import KFOLD, Kind


def test_a_kind_is_its_key_and_knows_its_shape_wherever_it_goes() -> None:
    for kind in (KFOLD, pickle.loads(pickle.dumps(KFOLD)), deepcopy(KFOLD)):
        assert kind == "kfold"
        assert isinstance(kind, Kind)
        assert kind.shape == "folds"
