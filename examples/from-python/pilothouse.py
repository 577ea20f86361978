"""A Kubernetes cluster for a test: API server, controllers, scheduler and nodes in one process."""

import json
import os
import shlex
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator


@dataclass(frozen=True)
class Cluster:
    """What `pilothouse up --json` says of a cluster that is up."""

    server: str
    kubeconfig: str


@contextmanager
def cluster(*flags: str) -> Iterator[Cluster]:
    """Starts a cluster of its own in memory and on free ports, and stops it at the end of the `with` block.

    PILOTHOUSE names the command, by default "npx @pilothouse/cli".
    """
    command = shlex.split(os.environ.get("PILOTHOUSE", "npx @pilothouse/cli"))
    with tempfile.TemporaryDirectory() as directory:
        own = ["up", "--json", "--ephemeral", "--port", "0", "--no-discovery", "--data-dir", directory]
        process = subprocess.Popen([*command, *own, *flags], stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"expected {command[0]} to print one line of JSON, found that it ended with {process.wait()}")
            facts = json.loads(line)
            yield Cluster(facts["server"], facts["kubeconfig"])
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()
