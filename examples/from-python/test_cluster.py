import unittest

from kubernetes import client, config, watch
from pilothouse import cluster

LABELS = {"app": "web"}
POD = {"containers": [{"name": "web", "image": "example/web"}]}
SPEC = {"selector": {"matchLabels": LABELS}, "template": {"metadata": {"labels": LABELS}, "spec": POD}}


class DeploymentTest(unittest.TestCase):
    def test_becomes_available(self) -> None:
        with cluster("--nodes", "2") as running:
            apps = client.AppsV1Api(config.new_client_from_config(running.kubeconfig))
            body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": SPEC}
            apps.create_namespaced_deployment("default", body)
            changes = watch.Watch().stream(apps.list_namespaced_deployment, "default", timeout_seconds=60)
            available = (change["object"].status.available_replicas == 1 for change in changes)
            self.assertTrue(any(available))


if __name__ == "__main__":
    unittest.main()
