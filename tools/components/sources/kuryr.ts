import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Component } from "../component.ts"
import { run } from "../run.ts"

/** Its web servers would listen on every interface, and an authority in the environment would win over the one in its configuration. */
const controller = `#!/bin/sh
unset REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
here="$(cd "$(dirname "$0")" && pwd)"
export PYTHONPATH="$here/site"
exec python3 -W ignore -c '
from kuryr_kubernetes.cmd.eventlet.controller import start
import flask
run = flask.Flask.run
flask.Flask.run = lambda self, host=None, *positional, **named: run(self, "127.0.0.1", *positional, **named)
start()
' "$@"
`
const python = '#!/bin/sh\nPYTHONPATH="$(dirname "$0")/site" exec python3 -W ignore "$@"\n'
/** Its definitions of custom resources as one JSON list: they are in its source package only. */
const readDefinitions = `
import glob, json, sys, tarfile, yaml
with tarfile.open(glob.glob(sys.argv[1] + "/*.tar.gz")[0]) as archive:
    names = [name for name in archive.getnames() if "/kuryr_crds/" in name and name.endswith(".yaml")]
    print(json.dumps([yaml.safe_load(archive.extractfile(name)) for name in sorted(names)]))
`

/** The controller of kuryr-kubernetes from PyPI, with all that it needs, and its custom resources in crds.json beside it. */
export function kuryr({ version }: { version: string }): Component {
  const source = `kuryr-kubernetes==${version}`
  const says = "import importlib.metadata as m; print(m.version('kuryr-kubernetes'))"
  return {
    name: "kuryr",
    version,
    compiled: false,
    source: `PyPI ${source}`,
    binaries: [{ name: "python-kuryr", versionArguments: ["-c", says], expected: version }],
    async make({ directory, progress, signal }) {
      const [bin, sources] = [join(directory, "bin"), join(directory, "source")]
      await mkdir(bin, { recursive: true })
      const pip = (words: string[]) =>
        run({
          command: "python3",
          arguments: ["-m", "pip", ...words, source],
          shown: `pip ${words[0]} ${source}`,
          signal,
          missing: "install Python 3 with pip and run the command again",
          failing: `see whether pip reaches its index and has ${source} for this Python, then run the command again`,
        })
      progress(`getting ${source} and what it needs with pip`)
      await pip(["install", "--quiet", "--target", join(bin, "site")])
      await pip(["download", "--quiet", "--no-deps", "--no-binary=:all:", "--dest", sources])
      await writeFile(join(bin, "python-kuryr"), python, { mode: 0o755 })
      await writeFile(join(bin, "kuryr-k8s-controller"), controller, { mode: 0o755 })
      const todo = "correct tools/components/kuryr.ts"
      const command = join(bin, "python-kuryr")
      const definitions = await run({ command, arguments: ["-c", readDefinitions, sources], signal, missing: todo, failing: todo })
      await writeFile(join(bin, "crds.json"), definitions)
      await rm(sources, { recursive: true })
    },
  }
}
