import { folder, type GeneratedFile, notice } from "./generated-file.ts"
import type { Package } from "./packages.ts"

/** The types of all kinds by apiVersion and kind: what ties an object literal to its kind. Types only. */
export function generateKindMap(packages: readonly Package[]): GeneratedFile[] {
  const served = packages.filter((one) => kindsOf(one).length > 0)
  const imports = served.map((one) => `import type * as ${alias(one)} from "./${one.path}.types.ts"\n`)
  const content = [
    notice("kind-map.ts"),
    ...imports.sort((a, b) => (fileOf(a) < fileOf(b) ? -1 : 1)),
    "\n/** The kinds of Kubernetes by apiVersion and kind. */\nexport interface KindMap {\n",
    ...served.flatMap((one) => kindsOf(one).map((kind) => `  readonly "${apiVersionOf(one)} ${kind}": ${alias(one)}.${kind}\n`)),
    "}\n",
  ].join("")
  return [{ path: `${folder}/all.types.ts`, content }]
}

function kindsOf({ types, resources }: Package): readonly string[] {
  const declared = new Set(types.map(({ name }) => name))
  return [...new Set(resources.filter(({ name }) => !name.includes("/")).map(({ kind }) => kind))]
    .filter((kind) => declared.has(kind))
    .sort()
}

function fileOf(line: string): string {
  return line.slice(line.indexOf('"'))
}

function apiVersionOf({ group, version }: Package): string {
  return group === "" ? version : `${group}/${version}`
}

/** "apps/v1" is appsV1. */
function alias({ path }: Package): string {
  return path.replace(/\/v/, "V")
}
