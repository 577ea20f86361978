import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Component } from "../component.ts"
import { readZip } from "../zip.ts"
import { downloadWheel } from "./python-wheel.ts"

/** gRPC's C-core with its Python face, from its PyPI wheel: `python-grpcio` is the machine's Python with it on the path. */
export function grpcio({ version, typingExtensions }: { version: string; typingExtensions: string }): Component {
  const sources = [`grpcio==${version}`, `typing-extensions==${typingExtensions}`]
  return {
    name: "grpcio",
    version,
    compiled: false,
    source: `PyPI ${sources[0]}`,
    binaries: [{ name: "python-grpcio", versionArguments: ["-c", "import grpc; print(grpc.__version__)"], expected: version }],
    async make({ directory, progress, signal }) {
      for (const source of sources) {
        progress(`getting ${source} with pip`)
        const wheel = await downloadWheel({ source, directory: join(directory, source.replace("==", "-")), signal })
        await unpackAll(await readFile(wheel), join(directory, "bin", "site"))
      }
      const script = '#!/bin/sh\nPYTHONPATH="$(dirname "$0")/site" exec python3 "$@"\n'
      await writeFile(join(directory, "bin", "python-grpcio"), script, { mode: 0o755 })
    },
  }
}

async function unpackAll(zip: Buffer, into: string): Promise<void> {
  for (const [name, entry] of readZip(zip)) {
    await mkdir(dirname(join(into, name)), { recursive: true })
    await writeFile(join(into, name), entry.read())
  }
}
