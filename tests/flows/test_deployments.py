"""The deployments of prefect.yaml, and what a worker needs to load them."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]
FLOWS = PROJECT / "flows"


def test_no_module_of_the_flows_hides_another_package():
    """A worker that loads flows/refresh.py imports from its folder first."""
    elsewhere = [place for place in sys.path if Path(place).resolve() not in (PROJECT, FLOWS)]
    hidden = {
        path.stem
        for path in FLOWS.glob("*.py")
        if path.stem != "__init__"
        and (
            path.stem in sys.stdlib_module_names
            or PathFinder.find_spec(path.stem, elsewhere) is not None
        )
    }
    assert hidden == set()


def test_every_deployment_names_a_flow_that_is_there():
    document = yaml.safe_load((PROJECT / "prefect.yaml").read_text())
    for deployment in document["deployments"]:
        file, _, name = deployment["entrypoint"].partition(":")
        text = (PROJECT / file).read_text()
        assert f'@flow(name="{deployment["name"]}"' in text
        assert f"def {name}(" in text
