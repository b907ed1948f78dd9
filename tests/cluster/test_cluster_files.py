"""The cluster files of examples/cluster: by Ray's schema, and as Ray's own reader for KubeRay."""

import json
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def schema():
    ray = pytest.importorskip(
        "ray", reason="Ray is not installed: pip install 'treewright[cluster]'"
    )
    return json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())


def read(root, name):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((root / "examples" / "cluster" / name).read_text())


def test_the_launchers_file_fits_the_schema_of_ray(root, schema):
    jsonschema = pytest.importorskip("jsonschema")
    config = read(root, "launcher.yaml")
    jsonschema.validate(config, schema)
    assert config["head_node_type"] in config["available_node_types"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(config | {"max_workers": "many"}, schema)


def test_rays_autoscaler_reads_the_file_for_kuberay(root, schema):
    jsonschema = pytest.importorskip("jsonschema")
    from ray.autoscaler._private.kuberay import autoscaling_config

    cluster = read(root, "kuberay.yaml")
    cluster["metadata"]["namespace"] = "default"
    found = autoscaling_config._derive_autoscaling_config_from_ray_cr(cluster)
    jsonschema.validate(found, schema)
    types = found["available_node_types"]
    assert {name: kind["resources"]["CPU"] for name, kind in types.items()} == {
        found["head_node_type"]: 0,
        "workers": 16,
    }
    assert types["workers"]["max_workers"] == 100
    assert (
        cluster["spec"]["rayVersion"]
        in cluster["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["image"]
    )
